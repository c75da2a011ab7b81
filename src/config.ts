import { LOG_LEVELS, type LogLevel } from './lib/log.ts'

/** The settings of one process. Flags win over `DAYBOOK_<FLAG>`, that over the defaults. */
export interface Config {
  readonly db: string
  readonly host: string
  readonly port: number
  readonly corsOrigins: readonly string[]
  /** Requests a minute and key; null is no limit. */
  readonly rateLimit: number | null
  readonly logLevel: LogLevel
}

/** A setting has a value it cannot have; the message names the flag. */
export class BadSetting extends Error {}

export type Flags = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
type Environment = Readonly<Record<string, string | undefined>>

/** Reads one flag, else its environment variable: `cors-origin` is `DAYBOOK_CORS_ORIGIN`. */
function setting(name: string, flags: Flags, env: Environment): string | undefined {
  const flag = flags[name]
  if (typeof flag === 'string') return flag
  return env[`DAYBOOK_${name.toUpperCase().replaceAll('-', '_')}`] || undefined
}

/** Repeatable flags; in the environment, values stand apart by spaces or commas. */
function settings(name: string, flags: Flags, env: Environment): string[] {
  const flag = flags[name]
  if (Array.isArray(flag)) return flag.map(String)
  return (setting(name, flags, env) ?? '').split(/[\s,]+/).filter((value) => value !== '')
}

function whole(name: string, text: string, minimum: number, maximum: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= minimum && value <= maximum) return value
  throw new BadSetting(`--${name} must be a whole number from ${minimum} to ${maximum}, not "${text}".`)
}

function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text)
  if (level) return level
  throw new BadSetting(`--log-level must be one of ${LOG_LEVELS.join(', ')}, not "${text}".`)
}

function origin(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text
  throw new BadSetting(`--cors-origin must be an origin such as https://app.example.com, not "${text}".`)
}

/** The database that a command works on. */
export const readDatabaseFile = (env: Environment, flags: Flags): string =>
  setting('db', flags, env) ?? 'daybook.db'

/** This file is the only reader of the environment. Throws BadSetting. */
export function readConfig(env: Environment, flags: Flags = {}): Config {
  const rateLimit = setting('rate-limit', flags, env)
  return {
    db: readDatabaseFile(env, flags),
    host: setting('host', flags, env) ?? '127.0.0.1',
    port: whole('port', setting('port', flags, env) ?? '8787', 0, 65_535),
    corsOrigins: settings('cors-origin', flags, env).map(origin),
    rateLimit: rateLimit === undefined ? null : whole('rate-limit', rateLimit, 1, 1_000_000),
    logLevel: logLevel(setting('log-level', flags, env) ?? 'info'),
  }
}
