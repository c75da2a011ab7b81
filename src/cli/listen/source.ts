import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { readCa, readKey, readSecret } from '../../config.ts'
import { listEvents } from '../../events/sources/events.ts'
import type { Call } from '../../events/sources/providers.ts'
import { callOf, findSealed, isWhole, sourceKind, unseal } from '../../events/sources/store.ts'
import { sleep, systemClock } from '../../lib/clock.ts'
import { isObject } from '../../lib/json.ts'
import { refused } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import type { Db } from '../../storage/database.ts'
import { checkedBaseUrl, type Input, textFlag, WrongUsage } from '../command.ts'
import type { Io } from '../io.ts'
import { inWorkspace } from '../open-database.ts'
import { LAST_MESSAGES_MS } from '../run-until-signal.ts'
import { requestUntilAnswered } from './client.ts'

const STATE = '.daybook-listen.json'

/** The retry delays, by the number of failed attempts. */
const RETRY_AFTER_MS = [1_000, 2_000, 4_000, 8_000]

/** The last posted event of each source, stored in a file. */
class ListenPositions {
  constructor(private readonly file: string) {}

  #all(): Record<string, unknown> {
    if (!existsSync(this.file)) return {}
    try {
      const value: unknown = JSON.parse(readFileSync(this.file, 'utf8'))
      if (isObject(value)) return value
    } catch {}
    throw refused(
      `${this.file} does not hold a position of "listen"; remove it, or name another file with --state.`,
    )
  }

  of(source: string): string {
    const place = this.#all()[source]
    return typeof place === 'string' ? place : 'start'
  }

  save(source: string, event: string): void {
    const next = `${this.file}.new`
    writeFileSync(next, `${JSON.stringify({ ...this.#all(), [source]: event })}\n`, { mode: 0o600 })
    renameSync(next, this.file)
  }
}

type Settings = ReturnType<typeof readSettings>

function readSettings(input: Input) {
  const [forward, to] = [textFlag(input, 'forward'), textFlag(input, 'to')]
  if (forward !== undefined && to !== undefined)
    throw new WrongUsage('--to and --forward are the same; give one.')
  const url = forward ?? to
  const isPrinting = input.flags.print === true
  if (url === undefined && !isPrinting) throw new WrongUsage('"listen" needs --to <url>, --print or both.')
  if (url !== undefined && (!URL.canParse(url) || !/^https?:\/\//i.test(url)))
    throw new WrongUsage(`--to must be an http or https URL, not "${url}".`)
  return { url, isPrinting, places: new ListenPositions(textFlag(input, 'state') ?? STATE) }
}

/**
 * Posts an event and retries failures. Returns the reason of the last failure if all attempts failed. A post in
 * progress is completed even if the command must end, so that the next run need not repeat it.
 */
async function postUntilAccepted(url: string, { call, id }: ListenedEvent, io: Io, signal: AbortSignal) {
  let fault = await post(url, call)
  for (const delayMs of RETRY_AFTER_MS) {
    if (fault === undefined || signal.aborted) return fault
    io.status(`The event ${id} was not accepted: ${fault}. Trying again in ${delayMs / 1_000} s.\n`)
    await sleep(systemClock, delayMs, signal)
    if (!signal.aborted) fault = await post(url, call)
  }
  return fault
}

const shown = ({ id, event, call: { headers, body } }: ListenedEvent) =>
  JSON.stringify({ id, event, headers, body: Buffer.from(body).toString() })

const isKept = (event: ListedEvent): event is ListenedEvent => event.call !== undefined

async function deliverAll(
  events: SourceEvents,
  { url, isPrinting, places }: Settings,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  let after = places.of(events.sourceId)
  io.status(`Listening to the source ${events.sourceId} of ${events.where}.\n`)
  while (!signal.aborted) {
    for (const event of await events.next(after)) {
      if (signal.aborted) return
      if (!isKept(event)) {
        io.status(`The event ${event.id} was skipped: its body is not stored whole.\n`)
        after = event.id
        places.save(events.sourceId, after)
        continue
      }
      const fault = url === undefined ? undefined : await postUntilAccepted(url, event, io, signal)
      if (signal.aborted && fault !== undefined) return
      if (fault !== undefined)
        throw refused(
          `The event ${event.id} was not accepted after five attempts: ${fault}. The next run begins with it.`,
        )
      if (isPrinting) io.out(`${shown(event)}\n`)
      after = event.id
      places.save(events.sourceId, after)
      io.status(`${event.event ?? 'event'} ${event.id}: taken\n`)
    }
  }
}

/** Posts the events of a source as they were received, oldest first, from where the last run ended. */
export async function listenToSource(input: Input, io: Io): Promise<number> {
  const settings = readSettings(input)
  const stop = new AbortController()
  const { signal } = stop
  void io.untilSignal().then(() => {
    stop.abort()
    io.endWithin(LAST_MESSAGES_MS)
  })
  try {
    await withSourceEvents(input, io, signal, (events) => deliverAll(events, settings, io, signal))
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return 0
}

interface ListedEvent {
  readonly id: string
  readonly event: string | null
  /** The original call, without signatures if they are not stored; undefined unless its body is stored whole. */
  readonly call: Call | undefined
}

type ListenedEvent = ListedEvent & { readonly call: Call }

/** The events of one source. */
interface SourceEvents {
  readonly sourceId: string
  readonly where: string
  /**
   * Some events after a given one, oldest first, once there are any; none after a time limit, or when the signal
   * aborts.
   */
  next(after: string): Promise<readonly ListedEvent[]>
}

const AT_ONCE = 20
const POLL_MS = 300
const WAIT_SECONDS = 20

/** Runs `use` with the events of the source that the flags name, from a database or from a server. */
function withSourceEvents<Result>(
  input: Input,
  io: Io,
  signal: AbortSignal,
  use: (events: SourceEvents) => Promise<Result>,
): Promise<Result> {
  const named = textFlag(input, 'source') ?? ''
  if (textFlag(input, 'url') === undefined)
    return inWorkspace(input, io, (db, { workspacePk }) => use(eventsIn(db, workspacePk, named, signal)))
  if (textFlag(input, 'db') !== undefined) throw new WrongUsage('Give --db or --url, not both.')
  return eventsAt(input, io, named, signal).then(use)
}

const unknown = (named: string) => refused(`There is no source "${named}".`)

function eventsIn(db: Db, workspace: number, named: string, signal: AbortSignal): SourceEvents {
  const found = () => {
    const source =
      sourceKind.findById(db, workspace, named) ?? sourceKind.findByName(db, workspace, fold(named))
    if (!source) throw unknown(named)
    return source
  }
  const { id: sourceId } = found()
  return {
    sourceId,
    where: db.file,
    next: async (after) => {
      const { pk: source, secret, secretVersion } = found()
      const { events } = listEvents(db, source, { after, limit: AT_ONCE })
      if (events.length === 0) await sleep(systemClock, POLL_MS, signal)
      return events.map((row) => {
        const { pk, id, event } = row
        const sealed = secret === null ? undefined : findSealed(db, pk, secretVersion)?.sealed
        const opened = sealed && unseal(sealed, secret ?? '', sourceId)
        return { id, event, call: opened ?? (isWhole(row) ? callOf(db, pk) : undefined) }
      })
    },
  }
}

interface ApiEvent {
  readonly id: string
  readonly event: string | null
}

interface ShownCall {
  readonly event: { readonly size: number }
  readonly headers: [string, string][]
  readonly body: string | null
  readonly sealed?: string | null
}

async function eventsAt(input: Input, io: Io, named: string, signal: AbortSignal): Promise<SourceEvents> {
  const url = checkedBaseUrl(textFlag(input, 'url') ?? '')
  const key = readKey(io.env, input.flags)
  const secret = readSecret(io.env, input.flags)
  if (key === undefined) throw new WrongUsage('"listen" needs --key <key>, or DAYBOOK_KEY.')
  if (secret === undefined) throw new WrongUsage('"listen" needs the secret of the source: DAYBOOK_SECRET.')
  const ca = readCa(io.env, input.flags)
  const options = { clock: systemClock, signal }
  const get = <Body>(path: string, query?: object) =>
    requestUntilAnswered<Body>({ url, key, ca }, path, options, query)
  const { sources } = await get<{ sources: { id: string; name: string }[] }>('/v1/sources')
  const source =
    sources.find(({ id }) => id === named) ?? sources.find(({ name }) => fold(name) === fold(named))
  if (!source) throw unknown(named)
  const path = `/v1/sources/${source.id}/events`
  const callAt = async (id: string): Promise<Call | undefined> => {
    const shown = await get<ShownCall>(`${path}/${id}`, { sealed: true })
    const opened = shown.sealed && unseal(Buffer.from(shown.sealed, 'base64'), secret, source.id)
    if (shown.sealed && !opened)
      throw refused('DAYBOOK_SECRET is not the secret of this source, so its events cannot be decrypted.')
    if (opened) return opened
    const body = Buffer.from(shown.body ?? '')
    // Text that is not UTF-8 grows when it is decoded.
    return body.length < shown.event.size || shown.body === null
      ? undefined
      : { headers: shown.headers, body }
  }
  return {
    sourceId: source.id,
    where: url,
    next: async (after) => {
      const query = { after, limit: AT_ONCE, wait: WAIT_SECONDS }
      const { events } = await get<{ events: ApiEvent[] }>(path, query)
      const listened: ListedEvent[] = []
      for (const { id, event } of events) listened.push({ id, event, call: await callAt(id) })
      return listened
    },
  }
}

const TIMEOUT_MS = 30_000

/** Headers of a single connection (hop-by-hop). */
const OF_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

interface Posted {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

/** Posts bytes with exactly these headers and those of the connection. Returns the reason of a failure. */
export function post(url: string, { headers, body }: Posted): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const sent = headers.filter(([name]) => !OF_CONNECTION.has(name))
  const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    headers: { ...Object.fromEntries(sent), 'Content-Length': body.byteLength },
    timeout: TIMEOUT_MS,
  })
  request.on('response', (response) => {
    response.resume()
    const { statusCode = 0 } = response
    resolve(statusCode >= 200 && statusCode < 300 ? undefined : `it responded with ${statusCode}`)
  })
  request.on('timeout', () => request.destroy(new Error(`no response in ${TIMEOUT_MS / 1_000} seconds`)))
  request.on('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message))
  request.end(body)
  return promise
}
