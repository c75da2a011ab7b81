/** Where the value of a field comes from, as the server stores it. */
export interface Entry {
  readonly path?: string
  readonly header?: string
  readonly value?: unknown
  readonly as?: string
  readonly default?: unknown
}

export type Draft = Readonly<Record<string, Entry>>

/** The stored map, each entry as an object. */
export const draftOf = (map: Readonly<Record<string, unknown>>): Draft =>
  Object.fromEntries(
    Object.entries(map).map(([key, sent]): [string, Entry] => {
      if (typeof sent !== 'string') return [key, sent as Entry]
      return [key, sent.startsWith('header:') ? { header: sent.slice('header:'.length) } : { path: sent }]
    }),
  )

/** How a value can be read for a field of each type; none first. */
export const READ_AS: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'json'],
  number: ['number', 'cents'],
  bool: ['bool'],
  date: ['epoch_s', 'epoch_ms'],
  datetime: ['epoch_s', 'epoch_ms'],
}

export const READ_AS_WORDS: Readonly<Record<string, string>> = {
  text: 'text',
  json: 'JSON',
  number: 'number',
  cents: 'cents',
  bool: 'yes or no',
  epoch_s: 'seconds since 1970',
  epoch_ms: 'milliseconds since 1970',
}

/** More seconds than this are milliseconds. */
const MOST_SECONDS = 100_000_000_000

/** How a value is best read for a field. */
export function readAs(type: string, value: unknown): string | undefined {
  if (type === 'text') {
    if (typeof value === 'object') return 'json'
    return typeof value === 'string' ? undefined : 'text'
  }
  if (type === 'number') return typeof value === 'string' ? 'number' : undefined
  if (type === 'bool') return typeof value === 'boolean' ? undefined : 'bool'
  if (type !== 'date' && type !== 'datetime') return undefined
  const number = typeof value === 'number' ? value : undefined
  if (number === undefined) return undefined
  return number > MOST_SECONDS ? 'epoch_ms' : 'epoch_s'
}

/** A place in words: `data.object.id`, or the name of a header. */
export function placeText({ path, header, value }: Entry): string {
  if (header !== undefined) return `header ${header}`
  if (path === undefined) return `always ${JSON.stringify(value)}`
  const keys = path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  return keys.length === 0 ? 'the whole event' : keys.join('.')
}
