import type { EventSourceMessage } from 'eventsource-parser'
import { readKey, readSecret } from '../../config.ts'
import { newSecret } from '../../delivery/sign.ts'
import { secretError } from '../../delivery/verify-signature.ts'
import { systemClock } from '../../lib/clock.ts'
import { createIdSource } from '../../lib/ids.ts'
import { refused } from '../../refusal.ts'
import { checkedBaseUrl } from '../base-url.ts'
import { type Input, textFlag, WrongUsage } from '../command.ts'
import type { Io } from '../io.ts'
import {
  type ApiRecord,
  type Change,
  ChangeDetector,
  PAGE_LIMIT,
  type PageChanges,
  type WatchAnswer,
} from './changes.ts'
import { fetchWorkspaceId, type RemoteDaybook, recordExists, watchEvents } from './client.ts'
import { createForwarder, eventPayload, type Forwarder, outcomeText } from './forward.ts'

const LAST_MESSAGES_MS = 1_000

interface Settings {
  readonly daybook: RemoteDaybook
  readonly structure: string
  readonly forwarder: Forwarder | undefined
  readonly isPrinting: boolean
}

/** The forwarder that the flags ask for, with a new secret if none is given. */
export function readForwarder(input: Input, io: Io): Forwarder | undefined {
  const url = textFlag(input, 'forward')
  const given = readSecret(io.env, input.flags)
  const fault = given === undefined ? undefined : secretError(given)
  if (fault !== undefined) throw new WrongUsage(fault)
  if (url === undefined) return undefined
  const secret = given ?? newSecret()
  const forwarder = createForwarder(url, secret, systemClock)
  if (given === undefined) io.err(`The signing secret of this run is ${secret}\n`)
  return forwarder
}

function readSettings(input: Input, io: Io): Settings {
  const url = checkedBaseUrl(textFlag(input, 'url') ?? '')
  const key = readKey(io.env, input.flags)
  const isPrinting = input.flags.print === true
  if (key === undefined) throw new WrongUsage('"listen" needs --key <key>, or DAYBOOK_KEY.')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new WrongUsage('--key must be an API key, such as dbk_….')
  const forwarder = readForwarder(input, io)
  if (!forwarder && !isPrinting) throw new WrongUsage('"listen" needs --forward <url>, --print or both.')
  return { daybook: { url, key }, structure: textFlag(input, 'structure') ?? '', forwarder, isPrinting }
}

/** Watches one structure and delivers its changes one after the other, in the order in which they were seen. */
class Listener {
  readonly #detector = new ChangeDetector()
  readonly #newId = createIdSource()
  #structure: string
  #delivered: Promise<void> = Promise.resolve()

  constructor(
    private readonly settings: Settings,
    private readonly workspaceId: string,
    private readonly io: Io,
    private readonly signal: AbortSignal,
  ) {
    this.#structure = settings.structure
  }

  /** Names the structure as the user did until the first answer, then by its id, which a rename does not change. */
  watchPath(): string {
    const page = { sort: 'updated_at', limit: String(PAGE_LIMIT), changes: 'true' }
    return `/v1/records/watch?${new URLSearchParams({ structure: this.#structure, ...page })}`
  }

  /** Handles one event of the stream. Its changes are delivered later, so that the stream is read without a pause. */
  handle({ event, data }: EventSourceMessage): void {
    if (event === 'answer') this.#handleAnswer(JSON.parse(data) as WatchAnswer)
    if (event !== 'closed' && event !== 'problem') return
    const { error } = JSON.parse(data) as { error: string }
    if (event === 'closed') throw refused(error)
    this.io.err(`Problem: ${error}\n`)
  }

  /** Resolves when every change seen so far has been delivered. */
  finish(): Promise<void> {
    return this.#delivered
  }

  #handleAnswer(answer: WatchAnswer): void {
    this.#structure = answer.structure.id
    const found = this.#detector.detect(answer)
    if (found.mayHaveMissed) {
      this.io.err(
        `At least ${PAGE_LIMIT} rows changed at once; any beyond the newest ${PAGE_LIMIT} were missed.\n`,
      )
    }
    this.#delivered = this.#delivered
      .then(() => this.#deliverAll(found, answer))
      .catch((error: unknown) => this.#reportFailure(error))
  }

  async #deliverAll({ changes, removed }: PageChanges, answer: WatchAnswer): Promise<void> {
    for (const change of changes) await this.#deliver(change, answer)
    for (const record of removed) {
      if (this.signal.aborted || (await this.#exists(record, answer))) continue
      await this.#deliver(this.#detector.deletionOf(record, systemClock.now()), answer)
    }
  }

  #reportFailure(error: unknown): void {
    if (!this.signal.aborted) this.io.err(`A change could not be delivered: ${(error as Error).message}\n`)
  }

  /** A row that left the page may only have been pushed out of it. */
  #exists({ id: recordId }: ApiRecord, { structure }: WatchAnswer): Promise<boolean> {
    const options = { clock: systemClock, signal: this.signal }
    return recordExists(this.settings.daybook, { structureId: structure.id, recordId }, options)
  }

  async #deliver(change: Change, { structure }: WatchAnswer): Promise<void> {
    if (this.signal.aborted) return
    const id = this.#newId(systemClock.now())
    const body = JSON.stringify(eventPayload(change, { id, workspaceId: this.workspaceId, structure }))
    if (this.settings.isPrinting) this.io.out(`${body}\n`)
    const outcome = await this.settings.forwarder?.send({ id, type: change.type, body })
    if (outcome !== undefined) this.io.err(`${change.type} ${change.record.id}: ${outcomeText(outcome)}\n`)
  }
}

async function listenUntil(signal: AbortSignal, settings: Settings, io: Io): Promise<void> {
  const { daybook, structure } = settings
  const listener = new Listener(settings, await fetchWorkspaceId(daybook, signal), io, signal)
  let greeting: string | undefined = `Listening to "${structure}" of ${daybook.url}.\n`
  const onBreak = (sentence: string) => {
    io.err(`${sentence} Connecting again.\n`)
    greeting ??= 'Listening again.\n'
  }
  const path = () => listener.watchPath()
  try {
    for await (const event of watchEvents({ daybook, path, clock: systemClock, signal, onBreak })) {
      listener.handle(event)
      if (greeting !== undefined) io.err(greeting)
      greeting = undefined
    }
  } finally {
    await listener.finish()
  }
}

/** Delivers the changes of a structure until the process is asked to end. */
export async function listen(input: Input, io: Io): Promise<number> {
  const settings = readSettings(input, io)
  const stop = new AbortController()
  stop.signal.addEventListener('abort', () => settings.forwarder?.close())
  void io.untilAskedToEnd().then(() => stop.abort())
  try {
    await listenUntil(stop.signal, settings, io)
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    stop.abort()
    io.endWithin(LAST_MESSAGES_MS)
  }
  return 0
}
