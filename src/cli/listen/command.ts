import { readKey } from '../../config.ts'
import { newSecret } from '../../delivery/sign.ts'
import { secretFault } from '../../delivery/verify.ts'
import { systemClock } from '../../lib/clock.ts'
import { createIdSource } from '../../lib/ids.ts'
import { refused } from '../../refusal.ts'
import { type Command, type Input, textFlag, WrongUsage } from '../command.ts'
import type { Io } from '../io.ts'
import {
  type Change,
  ChangeReader,
  type News,
  PAGE_LIMIT,
  type WatchAnswer,
  type WireRecord,
} from './changes.ts'
import { type RemoteDaybook, readWorkspaceId, recordExists, watchEvents } from './client.ts'
import { type Forwarding, forwardTo, payloadOf } from './forward.ts'
import type { StreamEvent } from './stream.ts'

const LAST_MESSAGES_MS = 1_000

interface Settings {
  readonly daybook: RemoteDaybook
  readonly structure: string
  readonly forwarding: Forwarding | undefined
  readonly isPrinting: boolean
}

/** One with a password in it is not shown again. */
function baseUrl(text: string): string {
  const isBase = URL.canParse(text) && /^https?:\/\/[^@?#]+$/i.test(text)
  if (!isBase) throw new WrongUsage('--url must be the address of a daybook, such as http://127.0.0.1:8787.')
  return text.replace(/\/+$/, '')
}

function forwardingOf(input: Input, io: Io): Forwarding | undefined {
  const url = textFlag(input, 'forward')
  const given = textFlag(input, 'secret')
  const fault = given === undefined ? undefined : secretFault(given)
  if (fault !== undefined) throw new WrongUsage(fault)
  if (url === undefined) return undefined
  const secret = given ?? newSecret()
  const forwarding = forwardTo(url, secret, systemClock)
  if (given === undefined) io.err(`The signing secret of this run is ${secret}\n`)
  return forwarding
}

function settingsOf(input: Input, io: Io): Settings {
  const url = baseUrl(textFlag(input, 'url') ?? '')
  const key = readKey(io.env, input.flags)
  const isPrinting = input.flags.print === true
  if (key === undefined) throw new WrongUsage('"listen" needs --key <key>, or DAYBOOK_KEY.')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new WrongUsage('--key must be an API key, such as dbk_….')
  const forwarding = forwardingOf(input, io)
  if (!forwarding && !isPrinting) throw new WrongUsage('"listen" needs --forward <url>, --print or both.')
  return { daybook: { url, key }, structure: textFlag(input, 'structure') ?? '', forwarding, isPrinting }
}

/** Watches one structure and tells of its changes, one after the other, in the order in which they were seen. */
class Listening {
  readonly #changes = new ChangeReader()
  readonly #newId = createIdSource()
  #structure: string
  #told: Promise<void> = Promise.resolve()

  constructor(
    private readonly settings: Settings,
    private readonly workspaceId: string,
    private readonly io: Io,
    private readonly signal: AbortSignal,
  ) {
    this.#structure = settings.structure
  }

  /** Where to watch: by the name that was given, and from the first answer on by the id, which outlives it. */
  watchPath(): string {
    const page = { sort: 'updated_at', limit: String(PAGE_LIMIT), changes: 'true' }
    return `/v1/records/watch?${new URLSearchParams({ structure: this.#structure, ...page })}`
  }

  /** Takes in one event of the stream; what it brings is told by and by, so that the stream is read on. */
  take({ name, data }: StreamEvent): void {
    if (name === 'answer') this.#takeAnswer(JSON.parse(data) as WatchAnswer)
    if (name !== 'closed' && name !== 'problem') return
    const { error } = JSON.parse(data) as { error: string }
    if (name === 'closed') throw refused(error)
    this.io.err(`Problem: ${error}\n`)
  }

  /** Settles when everything that was taken in has been told. */
  finish(): Promise<void> {
    return this.#told
  }

  #takeAnswer(answer: WatchAnswer): void {
    this.#structure = answer.structure.id
    const news = this.#changes.read(answer)
    if (news.isOverfull) {
      this.io.err(
        `At least ${PAGE_LIMIT} rows changed at once; if it were more, those beyond the newest ${PAGE_LIMIT} were missed.\n`,
      )
    }
    this.#told = this.#told
      .then(() => this.#tellAll(news, answer))
      .catch((error: unknown) => this.#tellFailure(error))
  }

  async #tellAll({ changes, removed }: News, answer: WatchAnswer): Promise<void> {
    for (const change of changes) await this.#tell(change, answer)
    for (const record of removed) {
      if (this.signal.aborted || (await this.#exists(record, answer))) continue
      await this.#tell(this.#changes.deleted(record, systemClock.now()), answer)
    }
  }

  #tellFailure(error: unknown): void {
    if (!this.signal.aborted) this.io.err(`A change could not be told: ${(error as Error).message}\n`)
  }

  /** A row that left the page may only have been pushed out of it. */
  #exists({ id: recordId }: WireRecord, { structure }: WatchAnswer): Promise<boolean> {
    const asking = { clock: systemClock, signal: this.signal }
    return recordExists(this.settings.daybook, { structureId: structure.id, recordId }, asking)
  }

  async #tell(change: Change, { structure }: WatchAnswer): Promise<void> {
    if (this.signal.aborted) return
    const id = this.#newId(systemClock.now())
    const body = JSON.stringify(payloadOf(change, { id, workspaceId: this.workspaceId, structure }))
    if (this.settings.isPrinting) this.io.out(`${body}\n`)
    const outcome = await this.settings.forwarding?.send({ id, type: change.type, body })
    if (outcome !== undefined) this.io.err(`${change.type} ${change.record.id}: ${outcome}\n`)
  }
}

async function listenUntil(signal: AbortSignal, settings: Settings, io: Io): Promise<void> {
  const { daybook, structure } = settings
  const listening = new Listening(settings, await readWorkspaceId(daybook, signal), io, signal)
  let greeting: string | undefined = `Listening to "${structure}" of ${daybook.url}.\n`
  const onBreak = (sentence: string) => {
    io.err(`${sentence} Connecting again.\n`)
    greeting ??= 'Listening again.\n'
  }
  const path = () => listening.watchPath()
  try {
    for await (const event of watchEvents({ daybook, path, clock: systemClock, signal, onBreak })) {
      listening.take(event)
      if (greeting !== undefined) io.err(greeting)
      greeting = undefined
    }
  } finally {
    await listening.finish()
  }
}

export const listen: Command = {
  name: 'listen',
  summary: 'Receive the changes of a structure on this machine, as webhooks without a public address.',
  flags: [
    { name: 'url', value: 'base_url', help: 'the daybook to listen to', isRequired: true },
    { name: 'key', value: 'key', help: 'an API key; reading is enough', isSetting: true },
    { name: 'structure', value: 'name', help: 'whose rows, by name or id', isRequired: true },
    { name: 'forward', value: 'url', help: 'post each change there, as a delivery is posted' },
    { name: 'secret', value: 'secret', help: 'sign with this, whsec_… (default one made for the run)' },
    { name: 'print', help: 'print each change as a line of JSON on stdout' },
  ],
  remarks: [
    'Watches the newest 500 rows. previous and changed are told of rows that were seen before, and every change as',
    'made through the API. A post that fails is not made again. A stream that breaks is opened again, also after the',
    'server was started anew, and what was missed is told. Ends with exit code 1 when the key opens nothing any more',
    'or the structure is deleted, and with 0 on SIGINT or SIGTERM.',
  ],
  examples: [
    'daybook listen --url http://127.0.0.1:8787 --structure Expenses --forward http://localhost:3000/hook',
    'DAYBOOK_KEY=dbk_… daybook listen --url https://daybook.example.com --structure Expenses --print',
  ],
  run: async (input, io) => {
    const settings = settingsOf(input, io)
    const ending = new AbortController()
    ending.signal.addEventListener('abort', () => settings.forwarding?.close())
    void io.untilAskedToEnd().then(() => ending.abort())
    try {
      await listenUntil(ending.signal, settings, io)
    } catch (error) {
      if (!ending.signal.aborted) throw error
    } finally {
      ending.abort()
      io.endWithin(LAST_MESSAGES_MS)
    }
    return 0
  },
}
