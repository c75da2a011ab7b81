import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { readCa, readKey, readSecret } from '../../config.ts'
import type { Db } from '../../db/database.ts'
import { sleep, systemClock } from '../../lib/clock.ts'
import { isObject } from '../../lib/json.ts'
import { fold } from '../../lib/text.ts'
import { refused } from '../../refusal.ts'
import { listEvents } from '../../sources/events.ts'
import type { Call } from '../../sources/providers.ts'
import { callOf, findSealed, isWhole, sourceKind, unseal } from '../../sources/store.ts'
import { checkedBaseUrl, type Input, textFlag, WrongUsage } from '../command.ts'
import type { Io } from '../io.ts'
import { inWorkspace } from '../open-database.ts'
import { LAST_MESSAGES_MS } from '../run-until-asked.ts'
import { requestUntilAnswered } from './client.ts'

const STATE = '.daybook-listen.json'

/** After a post that failed, by how often it was tried. */
const RETRY_AFTER_MS = [1_000, 2_000, 4_000, 8_000]

/** The events that were posted last, by source, in a file. */
class Places {
  constructor(private readonly file: string) {}

  #all(): Record<string, unknown> {
    if (!existsSync(this.file)) return {}
    try {
      const value: unknown = JSON.parse(readFileSync(this.file, 'utf8'))
      if (isObject(value)) return value
    } catch {}
    throw refused(`${this.file} does not hold where "listen" ended; remove it, or give another as --state.`)
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
  return { url, isPrinting, places: new Places(textFlag(input, 'state') ?? STATE) }
}

/**
 * Posts an event, again if that fails; returns why the last attempt failed, if all did. A post that is under way ends
 * even if the command is to end: the next run need not repeat it.
 */
async function postUntilTaken(url: string, { call, id }: ListenedEvent, io: Io, signal: AbortSignal) {
  let fault = await post(url, call)
  for (const delayMs of RETRY_AFTER_MS) {
    if (fault === undefined || signal.aborted) return fault
    io.status(`The event ${id} was not taken: ${fault}. Trying again in ${delayMs / 1_000} s.\n`)
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
        io.status(`The event ${event.id} is left out: its body is not kept whole.\n`)
        after = event.id
        places.save(events.sourceId, after)
        continue
      }
      const fault = url === undefined ? undefined : await postUntilTaken(url, event, io, signal)
      if (signal.aborted && fault !== undefined) return
      if (fault !== undefined)
        throw refused(
          `The event ${event.id} was not taken after five attempts: ${fault}. The next run begins with it.`,
        )
      if (isPrinting) io.out(`${shown(event)}\n`)
      after = event.id
      places.save(events.sourceId, after)
      io.status(`${event.event ?? 'event'} ${event.id}: taken\n`)
    }
  }
}

/** Posts the events of a source as they came, oldest first from where the last run ended. */
export async function listenToSource(input: Input, io: Io): Promise<number> {
  const settings = readSettings(input)
  const stop = new AbortController()
  const { signal } = stop
  void io.untilAskedToEnd().then(() => {
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
  /** As it came, or without signatures where that is not kept; undefined once its body is not kept whole. */
  readonly call: Call | undefined
}

type ListenedEvent = ListedEvent & { readonly call: Call }

/** The events of one source. */
interface SourceEvents {
  readonly sourceId: string
  readonly where: string
  /** Some events after one, oldest first, once there are any; none after a while, or when the signal aborts. */
  next(after: string): Promise<readonly ListedEvent[]>
}

const AT_ONCE = 20
const POLL_MS = 300
const WAIT_SECONDS = 20

/** Runs `use` with the events of the source that the flags name: of a database, or of a server. */
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

async function eventsAt(input: Input, io: Io, named: string, signal: AbortSignal): Promise<SourceEvents> {
  const url = checkedBaseUrl(textFlag(input, 'url') ?? '')
  const key = readKey(io.env, input.flags)
  const secret = readSecret(io.env, input.flags)
  if (key === undefined) throw new WrongUsage('"listen" needs --key <key>, or DAYBOOK_KEY.')
  if (secret === undefined) throw new WrongUsage('"listen" needs the secret of the source: DAYBOOK_SECRET.')
  const ca = readCa(io.env, input.flags)
  const options = { clock: systemClock, signal }
  const get = (path: string) => requestUntilAnswered({ url, key, ca }, path, options)
  const { sources } = (await get('/v1/sources')) as { sources: { id: string; name: string }[] }
  const source =
    sources.find(({ id }) => id === named) ?? sources.find(({ name }) => fold(name) === fold(named))
  if (!source) throw unknown(named)
  const path = `/v1/sources/${source.id}/events`
  const callAt = async (id: string): Promise<Call | undefined> => {
    const shown = (await get(`${path}/${id}?sealed=true`)) as {
      event: { size: number }
      headers: [string, string][]
      body: string | null
      sealed?: string | null
    }
    const opened = shown.sealed && unseal(Buffer.from(shown.sealed, 'base64'), secret, source.id)
    if (shown.sealed && !opened)
      throw refused('DAYBOOK_SECRET is not the secret of this source: what came cannot be opened with it.')
    if (opened) return opened
    const body = Buffer.from(shown.body ?? '')
    // Text that is not UTF-8 is shown longer than it is.
    return body.length < shown.event.size || shown.body === null
      ? undefined
      : { headers: shown.headers, body }
  }
  return {
    sourceId: source.id,
    where: url,
    next: async (after) => {
      const query = new URLSearchParams({ after, limit: String(AT_ONCE), wait: String(WAIT_SECONDS) })
      const { events } = (await get(`${path}?${query}`)) as { events: ApiEvent[] }
      const listened: ListedEvent[] = []
      for (const { id, event } of events) listened.push({ id, event, call: await callAt(id) })
      return listened
    },
  }
}

const TIMEOUT_MS = 30_000

/** What concerns one connection alone. */
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

/** Posts bytes with these headers, and no others but those of the connection. Returns why it failed, if it did. */
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
    resolve(statusCode >= 200 && statusCode < 300 ? undefined : `it answered ${statusCode}`)
  })
  request.on('timeout', () => request.destroy(new Error(`no answer in ${TIMEOUT_MS / 1_000} seconds`)))
  request.on('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message))
  request.end(body)
  return promise
}
