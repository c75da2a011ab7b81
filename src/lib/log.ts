import { BoundedCache } from './bounded-cache.ts'
import { type Clock, systemClock } from './clock.ts'
import { isoTimestamp } from './dates.ts'
import { escapeLineBoundaries } from './json.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

type LogFields = Record<string, string | number | boolean | null | undefined>

/** A request whose response is complete, or whose stream has begun. */
export interface LoggedRequest {
  /** Hexadecimal. */
  readonly requestId: string
  readonly method: string
  /** The path of the endpoint with the names of its parameters; undefined for a request that matches none. */
  readonly route: string | undefined
  readonly status: number
  readonly ms: number
  readonly keyId: string | null | undefined
}

/** One JSON object per line: `{time, level, message, …fields}`. Fields never hold keys, bodies or query values. */
export interface Log {
  info(message: string, fields?: LogFields): void
  /** Logs a request at the level `info`. The line is built by hand, which takes half the time. */
  request(request: LoggedRequest): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /**
   * For errors that may occur many times a second. Logs the first at once, then at most one line a minute with the
   * number of `times` it occurred since.
   */
  repeated(level: 'warn' | 'error', message: string, fields: LogFields): void
  /** Writes every pending line. */
  flush(): void
}

const FLUSH_AFTER_MS = 20
const REPEATED_AFTER_MS = 60_000
/** The number of distinct errors that are throttled at a time. */
const MAX_REPEATED = 100
const FLUSH_AT_LENGTH = 32_768

/** Lines are passed to `write` in batches after a few milliseconds, so that requests never wait for them. */
export function createLog(level: LogLevel, clock: Clock, write: (lines: string) => void): Log {
  const threshold = LOG_LEVELS.indexOf(level)
  let pending = ''
  let cancelFlush: (() => void) | undefined
  const flush = () => {
    cancelFlush?.()
    cancelFlush = undefined
    if (pending === '') return
    const lines = pending
    pending = ''
    write(lines)
  }
  const add = (name: LogLevel, members: string) => {
    pending += `{"time":"${isoTimestamp(clock.now())}","level":"${name}",${members}}\n`
    if (pending.length > FLUSH_AT_LENGTH) flush()
    else cancelFlush ??= systemClock.after(FLUSH_AFTER_MS, flush)
  }
  const isLogged = (name: LogLevel) => LOG_LEVELS.indexOf(name) >= threshold
  const at = (name: LogLevel) => {
    if (!isLogged(name)) return () => {}
    return (message: string, fields?: LogFields) =>
      add(name, escapeLineBoundaries(JSON.stringify({ message, ...fields }).slice(1, -1)))
  }
  const request = isLogged('info') ? (logged: LoggedRequest) => add('info', requestMembers(logged)) : () => {}
  const lines = { info: at('info'), warn: at('warn'), error: at('error') }
  const earlier = new BoundedCache<string, { at: number; times: number }>(MAX_REPEATED)
  const repeated: Log['repeated'] = (name, message, fields) => {
    const key = `${message} ${fields.error}`
    const last = earlier.get(key)
    const now = clock.now()
    if (last && Math.abs(now - last.at) < REPEATED_AFTER_MS) {
      last.times += 1
      return
    }
    earlier.set(key, { at: now, times: 1 })
    lines[name](message, last ? { ...fields, times: last.times } : fields)
  }
  return { ...lines, request, repeated, flush }
}

const textOrNull = (text: string | null | undefined) => (typeof text === 'string' ? `"${text}"` : 'null')

/** These texts are ASCII and need no escapes. */
const requestMembers = ({ requestId, method, route, status, ms, keyId }: LoggedRequest): string =>
  `"message":"request","request_id":"${requestId}","method":"${method}","route":${textOrNull(route)},"status":${status},"ms":${Math.round(ms * 1000) / 1000},"key_id":${textOrNull(keyId)}`
