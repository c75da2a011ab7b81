import { readFileSync } from 'node:fs'
import { readWebhookAllowlist } from '../../../config.ts'
import type { Caller } from '../../../context.ts'
import type { ReplayContext } from '../../../events/sources/receive.ts'
import type { NewSource } from '../../../events/sources/service.ts'
import type { presentSource } from '../../../events/sources/store.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { counted, fold } from '../../../lib/text.ts'
import type { Db } from '../../../storage/database.ts'
import { systemRefusal } from '../../../transfer/read-file.ts'
import {
  attributesIn,
  type Command,
  flag,
  type Input,
  PRINTING_FLAGS,
  setting,
  textFlag,
  WORKSPACE_FLAG,
} from '../../command.ts'
import type { Io } from '../../io.ts'
import { checkBody, checkStructure, inWorkspace, originFor } from '../../open-database.ts'
import { listCommand, printTable, show } from '../../output.ts'
import { STDIN } from '../../read-input.ts'

const operations = () => import('../../../events/sources/operations.ts')
const store = () => import('../../../events/sources/store.ts')
const events = () => import('../../../events/sources/events.ts')
const receiving = () => import('../../../events/sources/receive.ts')
const schema = () => import('../../../events/sources/schema.ts')

const sourcesList = listCommand({
  of: 'sources',
  summary: 'List the sources of a workspace: the URLs for events of external services.',
  flags: [WORKSPACE_FLAG],
  read: (input, io) =>
    inWorkspace(input, io, async (db, { workspacePk }) => {
      const { presentSource, sourceKind, urlOf } = await store()
      const origin = originFor(db, input, io)
      return sourceKind.rows(db, workspacePk).map((row) => presentSource(row, urlOf(row, origin), true))
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

/** Reads the secret from a file, without a trailing line break. */
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

/** The request body of the same call of the API. */
async function bodyOf(input: Input, io: Io): Promise<NewSource> {
  const file = textFlag(input, 'secret-file')
  const attributes = attributesIn(input, TEXTS, ['options', 'map', 'when', 'forward'])
  const secret = file === undefined ? {} : { secret: await readSecretFile(io, file) }
  return { ...attributes, ...secret } as NewSource
}

/** Prints the URL of a source, or the whole source. */
const printSource = (input: Input, io: Io, shown: { source: ReturnType<typeof presentSource> }): number =>
  show(input, io, shown, () => io.out(`${shown.source.url}\n`))

const sourcesCreate: Command = {
  name: 'sources create',
  summary: 'Create a URL for an external service to post events that become rows, and print it.',
  flags: [
    flag('--name <name>', 'its name', { isRequired: true }),
    flag('--structure <name>', 'the structure of the rows, by name or id', { isRequired: true }),
    flag('--provider <provider>', 'stripe, github, standard, shopify, slack, hmac, basic, bearer or none', {
      isRequired: true,
      choices: ['stripe', 'github', 'standard', 'shopify', 'slack', 'hmac', 'basic', 'bearer', 'none'],
    }),
    flag('--secret-file <file>', 'the signing secret of the provider; - reads standard input'),
    flag('--options <json>', 'options of the provider, as in the API'),
    flag('--map <json>', 'the path of the value of each field, as in the API'),
    flag('--when <json>', 'conditions that an event must meet, as in the API'),
    flag('--forward <json>', 'the URLs that events are passed on to: [{"url": …, "when": …}], as in the API'),
    setting('--webhook-allow <target>', 'allow a private address or plain http, as the server does', {
      isRepeatable: true,
    }),
    flag('--external-id <place>', 'the path of the id of an event'),
    flag('--event <place>', 'the path of the type of an event'),
    flag('--on-conflict <what>', 'refuse or update (default refuse)', { choices: ['refuse', 'update'] }),
    flag('--newer-by <field>', 'ignore updates with a lower value of this field'),
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
    await checkBody((await schema()).CreateSourceBody, body)
    const allowlist = readWebhookAllowlist(io.env, input.flags)
    return inWorkspace(input, io, async (db, caller, call) => {
      const { makeSource } = await operations()
      await checkStructure(db, caller, body.structure)
      return printSource(
        input,
        io,
        await call(makeSource, { body, allowlist, origin: originFor(db, input, io) }),
      )
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
    inWorkspace(input, io, async (db, caller, call) => {
      const { rotateSource } = await operations()
      const { id } = await sourceNamed(db, caller, input.args[0] ?? '')
      return printSource(input, io, await call(rotateSource, { id, origin: originFor(db, input, io) }))
    }),
}

const MAX_EVENTS = 200

const sourcesEvents: Command = {
  name: 'sources events',
  summary: 'List the newest events of a source with their outcomes.',
  parameters: [SOURCE],
  flags: [
    flag('--status <status>', 'only events with this status', {
      choices: ['written', 'updated', 'ignored', 'stale', 'unmapped'],
    }),
    ...PRINTING_FLAGS,
  ],
  examples: ['daybook sources events "Card payments" --status unmapped'],
  run: (input, io) =>
    inWorkspace(input, io, async (db, caller) => {
      const [{ listEvents }, { presentEvent }] = await Promise.all([events(), store()])
      const { pk } = await sourceNamed(db, caller, input.args[0] ?? '')
      const status = textFlag(input, 'status') as 'written' | undefined
      const listed = listEvents(db, pk, { limit: MAX_EVENTS, ...(status && { status }) }).events.map(
        presentEvent,
      )
      return show(input, io, { events: listed }, () =>
        printTable(io, listed, {
          ID: ({ id }) => id,
          RECEIVED: ({ received_at }) => received_at,
          EVENT: ({ event }) => event ?? '-',
          STATUS: ({ status }) => status,
          ERROR: ({ error }) => error ?? '',
        }),
      )
    }),
}

const sourcesReplay: Command = {
  name: 'sources replay',
  summary: 'Reprocess an event with the current map; without an event, all unmapped ones.',
  parameters: [SOURCE, '[event]'],
  flags: [flag('--since <instant>', 'only events received then or later'), ...PRINTING_FLAGS],
  remarks: ['Works while a server runs, which notifies watches and webhooks.'],
  examples: ['daybook sources replay "Card payments"', 'daybook sources replay "Card payments" 01939f3e-…'],
  run: (input, io) =>
    inWorkspace(input, io, async (db, caller, call) => {
      const [{ replay, replayEvent }, { replayUnmapped }] = await Promise.all([receiving(), events()])
      const source = await sourceNamed(db, caller, input.args[0] ?? '')
      const replays: ReplayContext = {
        db,
        caller,
        write: (sent) => call(replay, sent),
      }
      const [, eventId] = input.args
      if (eventId !== undefined) {
        const { status, error } = await replayEvent(replays, { sourceId: source.id, eventId })
        return show(input, io, { event: { id: eventId, status, error } }, () =>
          io.out(`${status}${error === null ? '' : `: ${error}`}\n`),
        )
      }
      const since = textFlag(input, 'since')
      const body = { status: 'unmapped', ...(since !== undefined && { since }) }
      await checkBody((await schema()).ReplayBody, body)
      const done = await replayUnmapped(replays, source, since)
      return show(input, io, done, () =>
        io.out(`Replayed ${counted(done.replayed, 'event')}; ${done.unmapped} still unmapped.\n`),
      )
    }),
}

export const sourcesCommands: readonly Command[] = [
  sourcesCreate,
  sourcesList,
  sourcesRotate,
  sourcesEvents,
  sourcesReplay,
]
