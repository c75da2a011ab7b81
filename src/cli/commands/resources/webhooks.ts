import { createBus } from '../../../changes/bus.ts'
import { readWebhookAllowlist } from '../../../config.ts'
import type { RecordEvent } from '../../../delivery/payload.ts'
import { storableJson } from '../../../http/body.ts'
import type { NewWebhook, UnparsedInput } from '../../../webhooks/service.ts'
import {
  type Command,
  DB_FLAG,
  flag,
  type Input,
  JSON_FLAG,
  setting,
  textFlag,
  WORKSPACE_FLAG,
} from '../../command.ts'
import { listCommand } from '../../list-command.ts'
import { commandCaller, inWorkspace } from '../../open-database.ts'
import { printJson } from '../../output.ts'
import { checkStructure } from '../../structure-name.ts'

/** Imported only when needed, because they load the records. */
const service = () => import('../../../webhooks/service.ts')
const deliveries = () => import('../../../webhooks/deliveries.ts')
const schema = () => import('../../../webhooks/schema.ts')
const present = () => import('../../../webhooks/present.ts')
const validation = () => import('../../../http/validation.ts')

export const webhooksList = listCommand({
  of: 'webhooks',
  summary: 'List the webhooks of a workspace, and which of them are paused.',
  flags: [WORKSPACE_FLAG],
  read: (input, io) =>
    inWorkspace(input, io, async (db, workspace) => {
      const [{ listWebhooks }, { presentWebhook }] = await Promise.all([service(), present()])
      return listWebhooks(db, commandCaller(workspace)).map(presentWebhook)
    }),
  columns: {
    ID: ({ id }) => id,
    STRUCTURE: ({ structure }) => structure.name,
    STATUS: ({ status }) => status,
    URL: ({ url }) => url,
  },
})

export const webhooksResume: Command = {
  name: 'webhooks resume',
  summary: 'Resume a paused webhook; its pending deliveries are sent.',
  parameters: ['<id>'],
  flags: [WORKSPACE_FLAG, DB_FLAG],
  remarks: [
    'Works while a server runs, which sends within a second; otherwise the next server does. Does nothing to a webhook',
    'that is not paused.',
  ],
  examples: ['daybook webhooks resume 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
  run: (input, io) =>
    inWorkspace(input, io, async (db, workspace) => {
      const { resumeWebhook } = await service()
      const [id = ''] = input.args
      await resumeWebhook({ db, bus: createBus() }, commandCaller(workspace), id)
      io.status(`The webhook ${id} is not paused.\n`)
      return 0
    }),
}

export const webhooksTest: Command = {
  name: 'webhooks test',
  summary: 'Send a test event to a webhook, even if it is disabled or paused.',
  parameters: ['<id>'],
  flags: [WORKSPACE_FLAG, DB_FLAG],
  remarks: [
    'Prints the id of the delivery. A running server sends it within a second; otherwise the next server does.',
  ],
  examples: ['daybook webhooks test 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
  run: (input, io) =>
    inWorkspace(input, io, async (db, workspace) => {
      const { testWebhook } = await deliveries()
      const [id = ''] = input.args
      const { row } = await testWebhook({ db, bus: createBus() }, commandCaller(workspace), id)
      io.out(`${row.id}\n`)
      return 0
    }),
}

/** The body that the API would be sent. */
function bodyOf(input: Input): UnparsedInput & Pick<NewWebhook, 'structure' | 'url'> {
  const events = textFlag(input, 'events')
  const filter = textFlag(input, 'filter')
  return {
    structure: textFlag(input, 'structure') ?? '',
    url: textFlag(input, 'url') ?? '',
    ...(events !== undefined && { events: events.split(',').map((event) => event.trim()) as RecordEvent[] }),
    ...(filter !== undefined && { filter: storableJson(filter, '--filter') as unknown[] }),
  }
}

export const webhooksCreate: Command = {
  name: 'webhooks create',
  summary: 'Subscribe a URL to the changes of a structure, and print the signing secret, once.',
  flags: [
    flag('--structure <name>', 'the structure, by name or id', { isRequired: true }),
    flag('--url <url>', 'a public https address', { isRequired: true }),
    flag('--events <events>', 'record.created, record.updated, record.deleted, with commas (default all)'),
    flag('--filter <json>', 'conditions that a row must meet, as in the API'),
    setting(
      '--webhook-allow <target>',
      'what the server was started with, for an address that is not public',
      { isRepeatable: true },
    ),
    WORKSPACE_FLAG,
    JSON_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'Works while a server runs. Prints nothing but the secret on stdout, or with --json the webhook and its secret. The',
    'secret cannot be shown again; the API can replace it.',
  ],
  examples: [
    'daybook webhooks create --structure Expenses --url https://hooks.example.com/expenses',
    `daybook webhooks create --structure Expenses --url https://hooks.example.com/large --events record.created \\
    --filter '[{"field": "amount", "op": "gt", "value": 100}]' --json`,
  ],
  run: async (input, io) => {
    const body = bodyOf(input)
    const [{ createCheck }, { CreateWebhookBody }] = await Promise.all([validation(), schema()])
    createCheck('body', CreateWebhookBody)(body)
    const config = { webhookAllowlist: readWebhookAllowlist(io.env, input.flags) }
    return inWorkspace(input, io, async (db, workspace) => {
      const { createWebhook, parseInput } = await service()
      const { presentWebhook } = await present()
      const parsed = parseInput(body)
      const caller = commandCaller(workspace)
      await checkStructure(db, caller, body.structure)
      const created = await db.write((tx) => createWebhook({ config }, tx, caller, parsed))
      if (input.flags.json) printJson(io, { webhook: presentWebhook(created), secret: created.secret })
      else {
        io.status(`The webhook ${created.row.id} was created. Its secret is shown only now:\n`)
        io.out(`${created.secret}\n`)
      }
      return 0
    })
  },
}
