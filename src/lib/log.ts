import { BoundedCache } from './bounded-cache.ts'
import type { Clock } from './clock.ts'
import { isoTimestamp } from './dates.ts'
import { escapeLineBoundaries } from './json.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

type LogFields = Record<string, string | number | boolean | null | undefined>

/** One JSON object a line: `{time, level, message, …fields}`. Fields never hold keys, bodies or query values. */
export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /**
   * For what may fail many times a second: the first line of an error at once, then at most one a minute, with how many
   * `times` it failed since.
   */
  repeated(level: 'warn' | 'error', message: string, fields: LogFields): void
  /** Writes every pending line. */
  flush(): void
}

const FLUSH_AFTER_MS = 20
const REPEATED_AFTER_MS = 60_000
/** More different errors are not repeated at a time. */
const MAX_REPEATED = 100
const FLUSH_AT_LENGTH = 32_768

/** Lines are passed to `write` together, after a few milliseconds, so that requests never wait for them. */
export function createLog(level: LogLevel, clock: Clock, write: (lines: string) => void): Log {
  const threshold = LOG_LEVELS.indexOf(level)
  let pending = ''
  let timer: Timer | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (pending === '') return
    const lines = escapeLineBoundaries(pending)
    pending = ''
    write(lines)
  }
  const at = (name: LogLevel) => {
    if (LOG_LEVELS.indexOf(name) < threshold) return () => {}
    return (message: string, fields?: LogFields) => {
      const line = `{"time":"${isoTimestamp(clock.now())}","level":"${name}","message":${JSON.stringify(message)}`
      const others = fields === undefined ? '{}' : JSON.stringify(fields)
      pending += others === '{}' ? `${line}}\n` : `${line},${others.slice(1)}\n`
      if (pending.length > FLUSH_AT_LENGTH) flush()
      else timer ??= setTimeout(flush, FLUSH_AFTER_MS)
    }
  }
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
  return { ...lines, repeated, flush }
}
