import { eventsAt, received, type ServerEvent } from '../../clients/types/connection.ts'
import { type RemoteDaybook, remoteDaybook } from '../../clients/types/remote.ts'
import { DaybookError } from '../../clients/types/surface.ts'
import { type Clock, sleep } from '../../lib/clock.ts'
import { refused } from '../../lib/refusal.ts'

const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 30_000
const RESPONSE_TIMEOUT_MS = 30_000

const notADaybook = ({ url }: RemoteDaybook) =>
  refused(`${url} does not respond as a daybook server; check the address.`)

/** The refusal to print for an error of the client; any other error as it is. */
function printable(daybook: RemoteDaybook, error: unknown): unknown {
  if (!(error instanceof DaybookError)) return error
  const { status, code, message } = error
  if (status >= 300 && status < 400)
    return refused(`It responded with ${status}, a redirect; set --url to its target.`)
  return code === 'unexpected_response' ? notADaybook(daybook) : refused(message)
}

/** Whether a retry may help: without a response, or where the server is busy. */
const isTemporary = (error: unknown): boolean =>
  !(error instanceof DaybookError) || error.status >= 500 || error.status === 429

async function requestJson<Body>(
  daybook: RemoteDaybook,
  path: string,
  signal: AbortSignal,
  query?: object,
): Promise<Body> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)])
  return await remoteDaybook(daybook).json<Body>('GET', path, { signal: either, ...(query && { query }) })
}

/** The id of the key's workspace. Throws an Error with the service's own sentence if the service refuses the key. */
export async function fetchWorkspaceId(daybook: RemoteDaybook, signal: AbortSignal): Promise<string> {
  try {
    const me = await requestJson<{ workspace_id?: unknown } | null>(daybook, '/v1/me', signal)
    if (typeof me?.workspace_id === 'string') return me.workspace_id
  } catch (error) {
    throw printable(daybook, error)
  }
  throw notADaybook(daybook)
}

interface RetryOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** The JSON of a response. Retries for as long as the server is unavailable. */
export async function requestUntilAnswered<Body>(
  daybook: RemoteDaybook,
  path: string,
  { clock, signal }: RetryOptions,
  query?: object,
): Promise<Body> {
  for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(delayMs * 2, MAX_RETRY_MS)) {
    try {
      return await requestJson(daybook, path, signal, query)
    } catch (error) {
      if (signal.aborted || !isTemporary(error)) throw printable(daybook, error)
    }
    await sleep(clock, delayMs, signal)
  }
}

/** Whether a record exists and is not deleted. */
export async function recordExists(
  daybook: RemoteDaybook,
  { structureId: structure, recordId }: { structureId: string; recordId: string },
  waiting: RetryOptions,
): Promise<boolean> {
  const query = { structure, filter: [{ field: 'id', op: 'eq', value: recordId }], limit: 1 }
  const { total } = await requestUntilAnswered<{ total: number }>(daybook, '/v1/records', waiting, query)
  return total > 0
}

export interface WatchOptions extends RetryOptions {
  readonly daybook: RemoteDaybook
  /** The query of the watch, read again whenever the stream is opened. */
  query(): object
  /** Called when the stream broke, before it is opened again. */
  onBreak(sentence: string): void
}

/**
 * The events of a watch. A stream that breaks, or ends because the server stops, is opened again after the last event
 * received. Returns when the signal aborts; throws when the service refuses the watch.
 */
export async function* watchEvents(options: WatchOptions): AsyncGenerator<ServerEvent> {
  const { daybook, clock, signal, onBreak } = options
  const open = eventsAt(remoteDaybook(daybook), '/v1/records/watch', options.query)
  const after = (delayMs: number, action: () => void) => clock.after(delayMs, action)
  try {
    yield* received(open, { signal, onBreak, after })
  } catch (error) {
    throw printable(daybook, error)
  }
}
