import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { systemClock } from '../../lib/clock.ts'
import { isObject } from '../../lib/json.ts'
import { refused } from '../../refusal.ts'
import { type Input, textFlag, WrongUsage } from '../command.ts'
import type { Io } from '../io.ts'
import { LAST_MESSAGES_MS } from '../run-until-asked.ts'
import { sleep } from './client.ts'
import { post } from './post.ts'
import { type ListenedEvent, type SourceEvents, withSourceEvents } from './source-events.ts'

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

interface Settings {
  readonly url: string | undefined
  readonly isPrinting: boolean
  readonly places: Places
}

function readSettings(input: Input): Settings {
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

/** Posts an event, again if that fails; returns why the last attempt failed, if all did. A post that is under way ends even if the command is to end: the next run need not repeat it. */
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
