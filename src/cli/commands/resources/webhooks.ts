import { readWebhookAllowlist } from '../../../config.ts'
import type { NewWebhook, UnparsedInput } from '../../../events/webhooks/columns.ts'
import { parseInstant } from '../../../lib/dates.ts'
import { counted } from '../../../lib/text.ts'
import { EVENTS_OF, FORMATS, SUBSCRIBED_EVENTS, type SubscribedEvent } from '../../../log/message.ts'
import {
  attributesIn,
  type Command,
  DB_FLAG,
  flag,
  type Input,
  PRINTING_FLAGS,
  separated,
  setting,
  textFlag,
  WORKSPACE_FLAG,
  WrongUsage,
} from '../../command.ts'
import { checkBody, checkStructure, inWorkspace } from '../../open-database.ts'
import { listCommand, show } from '../../output.ts'
import { webhooksEvents } from './webhooks-events.ts'

const service = () => import('../../../events/webhooks/service.ts')
const deliveries = () => import('../../../events/webhooks/deliveries.ts')
const operations = () => import('../../../events/webhooks/operations.ts')
const schema = () => import('../../../events/webhooks/schema.ts')
const present = () => import('../../../events/webhooks/store.ts')

const webhooksList = listCommand({
  of: 'webhooks',
  summary: 'List the webhooks of a workspace, and which of them are paused.',
  flags: [WORKSPACE_FLAG],
  read: (input, io) =>
    inWorkspace(input, io, async (db, caller) => {
      const [{ listWebhooks }, { presentWebhook }] = await Promise.all([service(), present()])
      return listWebhooks(db, caller).map(presentWebhook)
    }),
  columns: {
    ID: ({ id }) => id,
    STRUCTURE: ({ structure, kind }) => structure?.name ?? `(${kind}s)`,
    STATUS: ({ status }) => status,
    URL: ({ url, pending }) => url ?? `(pull, ${counted(pending ?? 0, 'event')} pending)`,
  },
})

const webhooksResume: Command = {
  name: 'webhooks resume',
  summary: 'Resume a paused webhook and send its pending deliveries.',
  parameters: ['<id>'],
  flags: [WORKSPACE_FLAG, DB_FLAG],
  remarks: [
    'Works while a server runs, which sends within a second; otherwise the next server does. Does nothing to a webhook',
    'that is not paused.',
  ],
  examples: ['daybook webhooks resume 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
  run: (input, io) =>
    inWorkspace(input, io, async (_db, _caller, call) => {
      const { resumeWebhook } = await operations()
      const [id = ''] = input.args
      await call(resumeWebhook, { id })
      io.status(`The webhook ${id} is not paused.\n`)
      return 0
    }),
}

const webhooksRetry: Command = {
  name: 'webhooks retry',
  summary: 'Retry all pending deliveries now, for example after an outage of the receiver.',
  parameters: ['<id>'],
  flags: [
    flag(
      '--failed-since <time>',
      'also resend deliveries that failed permanently since then: 2026-11-21T09:00:00Z',
    ),
    WORKSPACE_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'Works while a server runs, which sends within a second; otherwise the next server does. The attempts of each delivery',
    'count from 0 again. A paused or disabled webhook is refused: resume or enable it first.',
  ],
  examples: [
    'daybook webhooks retry 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60',
    'daybook webhooks retry 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60 --failed-since 2026-11-21T09:00:00Z',
  ],
  run: (input, io) => {
    const since = instantOf(input, 'failed-since')
    return inWorkspace(input, io, async (db, _caller, call) => {
      const { recoverSome, restartAll, retrySome } = await deliveries()
      const [id = ''] = input.args
      const retried = await restartAll<number>(db, (from) => call(retrySome, { id, from }))
      const recovered =
        since === undefined
          ? 0
          : await restartAll<string>(db, (from) => call(recoverSome, { id, since, from }))
      io.status(`Attempting ${counted(retried + recovered, 'delivery', 'deliveries')} now.\n`)
      return 0
    })
  },
}

function instantOf(input: Input, name: string): number | undefined {
  const text = textFlag(input, name)
  if (text === undefined) return undefined
  const instant = parseInstant(text)
  if (instant === undefined)
    throw new WrongUsage(`--${name} must be an instant such as 2026-11-21T09:00:00Z, not "${text}".`)
  return instant
}

const webhooksTest: Command = {
  name: 'webhooks test',
  summary: 'Send a test event to a webhook, even if it is disabled or paused.',
  parameters: ['<id>'],
  flags: [WORKSPACE_FLAG, DB_FLAG],
  remarks: [
    'Prints the id of the delivery. A running server sends it within a second; otherwise the next server does.',
  ],
  examples: ['daybook webhooks test 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
  run: (input, io) =>
    inWorkspace(input, io, async (_db, _caller, call) => {
      const { testWebhook } = await operations()
      const [id = ''] = input.args
      const { delivery } = await call(testWebhook, { id })
      io.out(`${delivery.id}\n`)
      return 0
    }),
}

/** The request body of the same call of the API. */
function bodyOf(input: Input): UnparsedInput & Pick<NewWebhook, 'kind' | 'structure' | 'delivery'> {
  const events = textFlag(input, 'events')
  const seconds = textFlag(input, 'quiet-seconds') ?? ''
  const texts = ['url', 'delivery', 'kind', 'structure', 'format', 'template', 'quiet-seconds']
  return {
    ...attributesIn(input, texts, ['filter', 'due']),
    ...(events !== undefined && { events: separated(events) as SubscribedEvent[] }),
    ...(/^\d+$/.test(seconds) && { quiet_seconds: Number(seconds) }),
    ...(input.flags['include-content'] === true && { include_content: true }),
    ...(input.flags.ordered === true && { ordered: true }),
  }
}

const SHOWN_ONCE = 'Its secret is shown only once:'

const webhooksCreate: Command = {
  name: 'webhooks create',
  summary: 'Subscribe a URL to changes of rows, notes or files, and print the signing secret, once.',
  flags: [
    flag('--kind <kind>', 'record (default), note or file', { choices: Object.keys(EVENTS_OF) }),
    flag('--structure <name>', 'the structure, by name or id; with the kind record'),
    flag('--url <url>', 'a public https address; without --delivery pull'),
    flag('--delivery <how>', 'pull: keep the events until they are read, instead of sending them', {
      choices: ['pull'],
    }),
    flag('--events <events>', 'such as record.created,record.updated (default all changes of the kind)', {
      choices: SUBSCRIBED_EVENTS,
      isList: true,
    }),
    flag('--filter <json>', 'conditions that a row must meet, or a filter tree over notes, as in the API'),
    flag('--due <json>', 'with the event record.due: {"field": "due", "offset_days": -1}, as in the API'),
    flag('--quiet-seconds <n>', 'combine updates of a note within this time into one event (default 30)'),
    flag('--include-content', 'include the text in events of notes'),
    flag('--ordered', 'deliver the events of one row, note or file one at a time, in commit order'),
    flag('--format <format>', 'json (default), slack, discord, ntfy or text', { choices: FORMATS }),
    flag('--template <text>', 'the text for the other formats, with placeholders such as {event}'),
    setting('--webhook-allow <target>', 'allow a private address or plain http, as the server does', {
      isRepeatable: true,
    }),
    ...PRINTING_FLAGS,
  ],
  remarks: [
    'Works while a server runs. Prints nothing but the secret on stdout, or with --json the webhook and its secret. The',
    'secret cannot be shown again; the API can replace it.',
  ],
  examples: [
    'daybook webhooks create --structure Expenses --url https://hooks.example.com/expenses',
    'daybook webhooks create --kind note --format ntfy --url https://ntfy.sh/my-notes',
    `daybook webhooks create --structure Expenses --url https://hooks.example.com/large --events record.created \\
    --filter '[{"field": "amount", "op": "gt", "value": 100}]' --json`,
  ],
  run: async (input, io) => {
    const body = bodyOf(input)
    await checkBody((await schema()).CreateWebhookBody, body)
    const allowlist = readWebhookAllowlist(io.env, input.flags)
    return inWorkspace(input, io, async (db, caller, call) => {
      const { createWebhook } = await operations()
      if (body.structure !== undefined) await checkStructure(db, caller, body.structure)
      const created = await call(createWebhook, { body, allowlist })
      return show(input, io, created, () => {
        const { webhook, secret } = created
        const next =
          secret === null ? `Read its events with "daybook webhooks events ${webhook.id}".` : SHOWN_ONCE
        io.status(`The webhook ${webhook.id} was created. ${next}\n`)
        if (secret !== null) io.out(`${secret}\n`)
      })
    })
  },
}

export const webhooksCommands: readonly Command[] = [
  webhooksCreate,
  webhooksEvents,
  webhooksList,
  webhooksResume,
  webhooksRetry,
  webhooksTest,
]
