import { readKey, readSecret } from '../../config.ts'
import type { Db } from '../../db/database.ts'
import { systemClock } from '../../lib/clock.ts'
import { fold } from '../../lib/text.ts'
import { refused } from '../../refusal.ts'
import { listEvents } from '../../sources/events.ts'
import type { Call } from '../../sources/providers.ts'
import { unseal } from '../../sources/sealing.ts'
import { callOf, findSealed, sourceKind } from '../../sources/store.ts'
import { checkedBaseUrl } from '../base-url.ts'
import { type Input, textFlag, WrongUsage } from '../command.ts'
import type { Io } from '../io.ts'
import { inWorkspace } from '../open-database.ts'
import { requestUntilAnswered, sleep } from './client.ts'

/** An event with its call: as it came, or without signatures where that is not kept. */
export interface ListenedEvent {
  readonly id: string
  readonly event: string | null
  readonly call: Call
}

/** The events of one source. */
export interface SourceEvents {
  readonly sourceId: string
  readonly where: string
  /** Some events after one, oldest first, once there are any; none after a while, or when the signal aborts. */
  next(after: string): Promise<readonly ListenedEvent[]>
}

const AT_ONCE = 20
const POLL_MS = 300
const WAIT_SECONDS = 20

/** Runs `use` with the events of the source that the flags name: of a database, or of a server. */
export function withSourceEvents<Result>(
  input: Input,
  io: Io,
  signal: AbortSignal,
  use: (events: SourceEvents) => Promise<Result>,
): Promise<Result> {
  const named = textFlag(input, 'source') ?? ''
  if (textFlag(input, 'url') === undefined)
    return inWorkspace(input, io, (db, { pk }) => use(eventsIn(db, pk, named, signal)))
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
      const { pk, secret, secretVersion } = found()
      const { events } = listEvents(db, pk, { after, limit: AT_ONCE })
      if (events.length === 0) await sleep(systemClock, POLL_MS, signal)
      return events.map(({ pk: event, id, event: type }) => {
        const sealed = secret === null ? undefined : findSealed(db, event, secretVersion)?.sealed
        const opened = sealed && unseal(sealed, secret ?? '', sourceId)
        return { id, event: type, call: opened ?? callOf(db, event) }
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
  const options = { clock: systemClock, signal }
  const get = (path: string) => requestUntilAnswered({ url, key }, path, options)
  const { sources } = (await get('/v1/sources')) as { sources: { id: string; name: string }[] }
  const source =
    sources.find(({ id }) => id === named) ?? sources.find(({ name }) => fold(name) === fold(named))
  if (!source) throw unknown(named)
  const path = `/v1/sources/${source.id}/events`
  const callAt = async (id: string): Promise<Call> => {
    const shown = (await get(`${path}/${id}?sealed=true`)) as {
      headers: [string, string][]
      body: string
      sealed?: string | null
    }
    const opened = shown.sealed && unseal(Buffer.from(shown.sealed, 'base64'), secret, source.id)
    if (shown.sealed && !opened)
      throw refused('DAYBOOK_SECRET is not the secret of this source: what came cannot be opened with it.')
    return opened || { headers: shown.headers, body: Buffer.from(shown.body) }
  }
  return {
    sourceId: source.id,
    where: url,
    next: async (after) => {
      const query = new URLSearchParams({ after, limit: String(AT_ONCE), wait: String(WAIT_SECONDS) })
      const { events } = (await get(`${path}?${query}`)) as { events: ApiEvent[] }
      const listened: ListenedEvent[] = []
      for (const { id, event } of events) listened.push({ id, event, call: await callAt(id) })
      return listened
    },
  }
}
