/** A setting has an invalid value; the message names the flag. */
export class BadSetting extends Error {}

export type Flags = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
export type Environment = Readonly<Record<string, string | undefined>>

export const SETTING_PREFIX = 'DAYBOOK_'

/** The name of the environment variable of a setting: `cors-origin` is `DAYBOOK_CORS_ORIGIN`. */
export const variableOf = (name: string): string =>
  `${SETTING_PREFIX}${name.toUpperCase().replaceAll('-', '_')}`

/**
 * Reads a flag, or else its environment variable. An empty flag is refused: it usually comes from an unset shell
 * variable, and an empty `--host` would mean every address.
 */
export function setting(name: string, flags: Flags, env: Environment): string | undefined {
  const flag = flags[name]
  if (flag === '') throw new BadSetting(`--${name} is empty; give it a value, or omit it.`)
  if (typeof flag === 'string') return flag
  return env[variableOf(name)] || undefined
}

/** Reads a repeatable flag; in the environment, values are separated by spaces or commas. */
export function settings(name: string, flags: Flags, env: Environment): string[] {
  const flag = flags[name]
  if (Array.isArray(flag)) return flag.map(String)
  return (setting(name, flags, env) ?? '').split(/[\s,]+/).filter((value) => value !== '')
}

export function whole(name: string, text: string, minimum: number, maximum: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= minimum && value <= maximum) return value
  throw new BadSetting(`--${name} must be a whole number from ${minimum} to ${maximum}, not "${text}".`)
}

export const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export function duration(name: string, text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? []
  if (unit !== undefined) return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
  throw new BadSetting(
    `--${name} must be a number of seconds, minutes, hours or days such as 30m, 24h or 7d, not "${text}".`,
  )
}

export const UNIT_BYTES = { KiB: 1_024, MiB: 1_048_576, GiB: 1_073_741_824 }

export function bytes(name: string, text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([KMG]iB)$/.exec(text) ?? []
  if (unit !== undefined) return Number(count) * UNIT_BYTES[unit as keyof typeof UNIT_BYTES]
  throw new BadSetting(`--${name} must be a size such as 500MiB or 1GiB, not "${text}".`)
}
