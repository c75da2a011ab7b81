import { existsSync } from 'node:fs'
import { readCa, readConfig, readDatabaseFile, readKey } from '../../config.ts'
import { systemClock } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { refused } from '../../lib/refusal.ts'
import { withCommas } from '../../lib/text.ts'
import { openUpgraded } from '../../operation/upgrade.ts'
import { startServer } from '../../server.ts'
import type { MirrorEvent } from '../../transfer/mirror/events.ts'
import { type MirrorRequest, prepareCopy, startFollowing, updateCopy } from '../../transfer/mirror/mirror.ts'
import { Remote } from '../../transfer/mirror/remote.ts'
import type { MirrorState } from '../../transfer/mirror/state.ts'
import { checkedBaseUrl, type Input, textFlag, WrongUsage } from '../command.ts'
import type { Io } from '../io.ts'
import { type Forwarder, outcomeText } from '../listen/forward.ts'
import { readForwarder } from '../listen/listen.ts'
import { withDatabaseFile } from '../open-database.ts'
import { LAST_MESSAGES_MS, runUntilSignal } from '../run-until-signal.ts'
import { COPY_DEFAULTS } from './defaults.ts'

const PROGRESS_EVERY = 50_000

const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

function selectionOf(input: Input): MirrorRequest['selection'] {
  const structures = textFlag(input, 'structures')
  return {
    structures: structures === undefined ? null : listOf(structures),
    hasFiles: textFlag(input, 'files') !== 'none',
    omitFields: listOf(textFlag(input, 'omit-fields')),
  }
}

/** Reports the outcome of each event; an event without a response is posted again. */
function posterOf(forwarder: Forwarder, io: Io): MirrorRequest['post'] {
  let isAway = false
  return async ({ id, type, record, body }: MirrorEvent) => {
    const outcome = await forwarder.send({ id, type, body })
    const isNews = outcome.status !== null || !isAway
    isAway = outcome.status === null
    if (isNews) io.err(`${type} ${record}: ${outcomeText(outcome)}\n`)
    return !isAway
  }
}

function requestOf(input: Input, io: Io, signal: AbortSignal, url = input.args[0] ?? ''): MirrorRequest {
  if (input.flags.once && textFlag(input, 'forward') !== undefined)
    throw new WrongUsage(
      '"mirror" takes --once or --forward, not both: events are posted only while it runs.',
    )
  const config = readConfig(io.env, withDefaults(input, io))
  const forwarder = readForwarder(input, io)
  signal.addEventListener('abort', () => forwarder?.close())
  let shown = 0
  return {
    config,
    remote: remoteOf(checkedBaseUrl(url, '<url>'), input, io, signal),
    selection: selectionOf(input),
    isWritable: input.flags.writable === true,
    clock: systemClock,
    log: createLog(config.logLevel, systemClock, (lines) => io.err(lines)),
    signal,
    post: forwarder && posterOf(forwarder, io),
    openUpgraded,
    onProgress: (objects) => {
      if (objects < shown + PROGRESS_EVERY) return
      shown = objects
      io.status(`Copying: ${withCommas(objects)} objects\n`)
    },
  }
}

const firstKey = (
  file: string,
  key: string,
  isWritable: boolean,
) => `The copy in ${file} can be read${isWritable ? ' and written' : ''} with this key, which is shown only once:

  ${key}

`

const lostEvents = (count: number): string =>
  `Pending events: ${count}. They were discarded: the copy now has another selection.\n`

/** Creates or updates a copy, and serves it unless a single run is requested. */
export async function follow(input: Input, io: Io): Promise<number> {
  const stop = new AbortController()
  const request = requestOf(input, io, stop.signal)
  // An interrupted copy starts over.
  const signal = io.untilSignal().then(() => 'stop' as const)
  const prepared = await Promise.race([prepareCopy(request), signal])
  if (prepared === 'stop') return abandon(stop, io)
  const { db: file } = request.config
  if (prepared.key !== undefined) io.err(firstKey(file, prepared.key, request.isWritable))
  if (prepared.lostEvents > 0) io.err(lostEvents(prepared.lostEvents))
  if (!input.flags.once) return serveMirror(request, io, signal, stop)
  if (!prepared.isNew) await updateCopy(request)
  io.status(`${file} is a copy of ${request.remote.url}.\n`)
  stop.abort()
  io.endWithin(LAST_MESSAGES_MS)
  return 0
}

/** Updates a copy that no server serves, once. */
export async function bringUpToDate(input: Input, io: Io, { remote }: MirrorState): Promise<void> {
  const stop = new AbortController()
  await updateCopy(requestOf(input, io, stop.signal, remote))
  stop.abort()
}

function abandon(stop: AbortController, io: Io): number {
  stop.abort()
  io.err('The copy is incomplete; the next start copies again.\n')
  io.endWithin(LAST_MESSAGES_MS, 1)
  return 1
}

async function serveMirror(
  request: MirrorRequest,
  io: Io,
  signal: Promise<'stop'>,
  stop: AbortController,
): Promise<number> {
  const server = await startServer(request.config, (message) => io.err(message), {
    start: (ctx) => startFollowing(ctx, request),
  })
  return runUntilSignal(server, io, signal, () => stop.abort())
}

/** The flags with the defaults of a mirror, which differ from those of a server. */
const withDefaults = ({ flags }: Input, io: Io) => ({
  ...(io.env.DAYBOOK_DB ? {} : { db: COPY_DEFAULTS.db }),
  ...(io.env.DAYBOOK_PORT ? {} : { port: COPY_DEFAULTS.port }),
  ...flags,
  host: '127.0.0.1',
})

export const databaseOf = (input: Input, io: Io): string => readDatabaseFile(io.env, withDefaults(input, io))

/** The remote at a URL, called with the key in the environment until the optional signal aborts. */
export function remoteOf(
  url: string,
  { flags }: Input,
  io: Io,
  signal = new AbortController().signal,
): Remote {
  const key = readKey(io.env, {})
  if (key === undefined) throw new WrongUsage('A mirror needs the key of the remote in DAYBOOK_KEY.')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new WrongUsage('DAYBOOK_KEY must be an API key, such as dbk_….')
  return new Remote({ url, key, clock: systemClock, signal, ca: readCa(io.env, flags) })
}

/** Runs on the database of a copy, which must exist. */
export const withCopy = <T>(
  input: Input,
  io: Io,
  use: Parameters<typeof withDatabaseFile<T>>[2],
): Promise<T> => {
  const file = databaseOf(input, io)
  if (!existsSync(file)) throw refused(`There is no copy at ${file}; "daybook mirror <url>" creates one.`)
  return withDatabaseFile(file, io, use)
}
