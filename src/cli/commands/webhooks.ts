import { createBus } from '../../changes/bus.ts'
import { type Command, DB_FLAG, JSON_FLAG, WORKSPACE_FLAG } from '../command.ts'
import { commandCaller, inWorkspace } from '../open-database.ts'
import { printJson, printTable } from '../output.ts'

/** Imported only when needed, because they load the records. */
const service = () => import('../../webhooks/service.ts')
const present = () => import('../../webhooks/present.ts')

export const webhooksList: Command = {
  name: 'webhooks list',
  summary: 'List the webhooks of a workspace, and which of them are paused.',
  flags: [WORKSPACE_FLAG, JSON_FLAG, DB_FLAG],
  examples: ['daybook webhooks list', 'daybook webhooks list --json'],
  run: (input, io) =>
    inWorkspace(input, io, async (db, workspace) => {
      const { listWebhooks } = await service()
      const { presentWebhook } = await present()
      const webhooks = listWebhooks(db, commandCaller(workspace)).map(presentWebhook)
      if (input.flags.json) printJson(io, { webhooks })
      else {
        const rows = webhooks.map(({ id, structure, status, url }) => [id, structure.name, status, url])
        printTable(io, ['ID', 'STRUCTURE', 'STATUS', 'URL'], rows)
      }
      return 0
    }),
}

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
      io.err(`The webhook ${id} is not paused.\n`)
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
      const { testWebhook } = await service()
      const [id = ''] = input.args
      const { row } = await testWebhook({ db, bus: createBus() }, commandCaller(workspace), id)
      io.out(`${row.id}\n`)
      return 0
    }),
}
