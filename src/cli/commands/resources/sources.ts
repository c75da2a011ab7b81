import { readFileSync } from 'node:fs'
import { createBus } from '../../../changes/bus.ts'
import type { Caller } from '../../../context.ts'
import type { Db } from '../../../db/database.ts'
import { fold } from '../../../lib/text.ts'
import { systemRefusal } from '../../../portability/read-file.ts'
import { Refusal } from '../../../refusal.ts'
import type { NewSource } from '../../../sources/service.ts'
import type { SourceRow } from '../../../sources/store.ts'
import {
  attributesIn,
  type Command,
  flag,
  type Input,
  PRINTING_FLAGS,
  textFlag,
  WORKSPACE_FLAG,
} from '../../command.ts'
import type { Io } from '../../io.ts'
import { checkStructure, commandCaller, inWorkspace, originFor } from '../../open-database.ts'
import { listCommand, printJson, printTable } from '../../output.ts'
import { STDIN } from '../../read-input.ts'

const service = () => import('../../../sources/service.ts')
const store = () => import('../../../sources/store.ts')
const events = () => import('../../../sources/events.ts')
const receiving = () => import('../../../sources/receive.ts')
const schema = () => import('../../../sources/schema.ts')
const validation = () => import('../../../http/validation.ts')

const sourcesList = listCommand({
  of: 'sources',
  summary: 'List the sources of a workspace: the URLs at which outside services post.',
  flags: [WORKSPACE_FLAG],
  read: (input, io) =>
    inWorkspace(input, io, async (db, { pk }) => {
      const { presentSource, sourceKind, urlOf } = await store()
      const origin = originFor(db, input, io)
      return sourceKind.rows(db, pk).map((row) => presentSource(row, urlOf(row, origin)))
    }),
  columns: {
    NAME: ({ name }) => name,
    STRUCTURE: ({ structure }) => structure.name,
    PROVIDER: ({ provider }) => provider,
    STATE: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
    UNMAPPED: ({ counts }) => String(counts.unmapped),
    URL: ({ url }) => url ?? '-',
  },
})

/** The secret in a file, without the line break at its end. */
async function readSecretFile(io: Io, file: string): Promise<string> {
  try {
    const text = file === STDIN ? await io.readAll() : readFileSync(file)
    return text.toString('utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw systemRefusal(error, file) ?? error
  }
}

const TEXTS = [
  'name',
  'structure',
  'provider',
  'external-id',
  'event',
  'on-conflict',
  'newer-by',
  'description',
]

/** The body that the API would be sent. */
async function bodyOf(input: Input, io: Io): Promise<NewSource> {
  const file = textFlag(input, 'secret-file')
  const attributes = attributesIn(input, TEXTS, ['options', 'map', 'when'])
  const secret = file === undefined ? {} : { secret: await readSecretFile(io, file) }
  return { ...attributes, ...secret } as NewSource
}

/** Prints the URL of a source, or the whole. */
async function printSource(input: Input, io: Io, db: Db, row: SourceRow): Promise<number> {
  const { presentSource, urlOf } = await store()
  const url = urlOf(row, originFor(db, input, io))
  if (input.flags.json) printJson(io, { source: presentSource(row, url) })
  else io.out(`${url}\n`)
  return 0
}

const sourcesCreate: Command = {
  name: 'sources create',
  summary: 'Make a URL at which an outside service posts events that become rows, and print it.',
  flags: [
    flag('--name <name>', 'its name', { isRequired: true }),
    flag('--structure <name>', 'the structure of the rows, by name or id', { isRequired: true }),
    flag('--provider <provider>', 'stripe, github, standard, shopify, slack, hmac, basic, bearer or none', {
      isRequired: true,
    }),
    flag('--secret-file <file>', 'the secret with which the provider signs; - reads standard input'),
    flag('--options <json>', 'of the provider, as in the API'),
    flag('--map <json>', 'where the value of each field is, as in the API'),
    flag('--when <json>', 'conditions that an event must meet, as in the API'),
    flag('--external-id <place>', 'where the id of an event is'),
    flag('--event <place>', 'where the type of an event is'),
    flag('--on-conflict <what>', 'refuse or update (default refuse)', { choices: ['refuse', 'update'] }),
    flag('--newer-by <field>', 'an update with a lower value of this field writes nothing'),
    flag('--description <text>', 'a description'),
    ...PRINTING_FLAGS,
  ],
  remarks: ['Works while a server runs. Prints nothing but the URL on stdout, or with --json the source.'],
  examples: [
    `daybook sources create --name "Card payments" --structure Payments --provider stripe --secret-file stripe.txt \\
    --map '{"number": "/data/object/id", "amount": {"path": "/data/object/amount", "as": "cents"}}'`,
  ],
  run: async (input, io) => {
    const body = await bodyOf(input, io)
    const [{ createCheck }, { CreateSourceBody }] = await Promise.all([validation(), schema()])
    createCheck('body', CreateSourceBody)(body)
    return inWorkspace(input, io, async (db, workspace) => {
      const { createSource } = await service()
      const caller = commandCaller(workspace)
      await checkStructure(db, caller, body.structure)
      const row = await db.write((tx) => createSource(tx, caller, body))
      return printSource(input, io, db, row)
    })
  },
}

async function sourceNamed(db: Db, { workspacePk }: Caller, named: string) {
  const { sourceKind } = await store()
  const source =
    sourceKind.findById(db, workspacePk, named) ?? sourceKind.findByName(db, workspacePk, fold(named))
  if (!source) throw new Refusal('not_found', `There is no source "${named}".`)
  return source
}

const SOURCE = '<source>'

const sourcesRotate: Command = {
  name: 'sources rotate',
  summary: 'Give a source a new URL, and print it; the old one stops working at once.',
  parameters: [SOURCE],
  flags: PRINTING_FLAGS,
  examples: ['daybook sources rotate "Card payments"'],
  run: (input, io) =>
    inWorkspace(input, io, async (db, workspace) => {
      const { rotateSource } = await service()
      const caller = commandCaller(workspace)
      const { id } = await sourceNamed(db, caller, input.args[0] ?? '')
      return printSource(input, io, db, await rotateSource({ db }, caller, id))
    }),
}

const MAX_EVENTS = 200

const sourcesEvents: Command = {
  name: 'sources events',
  summary: 'List the newest events of a source, and what became of them.',
  parameters: [SOURCE],
  flags: [
    flag('--status <status>', 'only these', {
      choices: ['written', 'updated', 'ignored', 'stale', 'unmapped'],
    }),
    ...PRINTING_FLAGS,
  ],
  examples: ['daybook sources events "Card payments" --status unmapped'],
  run: (input, io) =>
    inWorkspace(input, io, async (db, workspace) => {
      const [{ listEvents }, { presentEvent }] = await Promise.all([events(), store()])
      const { pk } = await sourceNamed(db, commandCaller(workspace), input.args[0] ?? '')
      const status = textFlag(input, 'status') as 'written' | undefined
      const listed = listEvents(db, pk, { limit: MAX_EVENTS, ...(status && { status }) }).events.map(
        presentEvent,
      )
      if (input.flags.json) printJson(io, { events: listed })
      else
        printTable(io, listed, {
          ID: ({ id }) => id,
          RECEIVED: ({ received_at }) => received_at,
          EVENT: ({ event }) => event ?? '-',
          STATUS: ({ status }) => status,
          ERROR: ({ error }) => error ?? '',
        })
      return 0
    }),
}

const sourcesReplay: Command = {
  name: 'sources replay',
  summary: 'Judge an event of a source again, by its map as it is now; without one, all that are unmapped.',
  parameters: [SOURCE, '[event]'],
  flags: [flag('--since <instant>', 'only those that came then or later'), ...PRINTING_FLAGS],
  remarks: ['Works while a server runs, which notifies watches and webhooks.'],
  examples: ['daybook sources replay "Card payments"', 'daybook sources replay "Card payments" 01939f3e-…'],
  run: (input, io) =>
    inWorkspace(input, io, async (db, workspace) => {
      const [{ replay, replayEvent }, { replayUnmapped }] = await Promise.all([receiving(), events()])
      const [{ createCheck }, { ReplayBody }] = await Promise.all([validation(), schema()])
      const caller = commandCaller(workspace)
      const source = await sourceNamed(db, caller, input.args[0] ?? '')
      const write = (sent: Parameters<typeof replay.run>[1]) =>
        db.write((tx) => replay.run(tx, sent, createBus()))
      const [, eventId] = input.args
      if (eventId !== undefined) {
        const { workspacePk } = caller
        const { status, error } = await replayEvent(write, { workspacePk, sourceId: source.id, eventId })
        if (input.flags.json) printJson(io, { event: { id: eventId, status, error } })
        else io.out(`${status}${error === null ? '' : `: ${error}`}\n`)
        return 0
      }
      const since = textFlag(input, 'since')
      createCheck('body', ReplayBody)({ status: 'unmapped', ...(since !== undefined && { since }) })
      const done = await replayUnmapped(db, write, caller, source, since)
      if (input.flags.json) printJson(io, done)
      else io.out(`${done.replayed} events are replayed, and ${done.unmapped} stay unmapped.\n`)
      return 0
    }),
}

export const sourcesCommands: readonly Command[] = [
  sourcesCreate,
  sourcesList,
  sourcesRotate,
  sourcesEvents,
  sourcesReplay,
]
