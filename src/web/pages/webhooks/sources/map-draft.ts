/** The source of a field's value, as stored by the server. */
export interface Entry {
  readonly path?: string
  readonly header?: string
  readonly value?: unknown
  readonly as?: string
  readonly default?: unknown
}

export type Draft = Readonly<Record<string, Entry>>

/** The stored map, with every entry as an object. */
export const draftOf = (map: Readonly<Record<string, unknown>>): Draft =>
  Object.fromEntries(
    Object.entries(map).map(([key, sent]): [string, Entry] => {
      if (typeof sent !== 'string') return [key, sent as Entry]
      return [key, sent.startsWith('header:') ? { header: sent.slice('header:'.length) } : { path: sent }]
    }),
  )

/** Conversions for each field type. */
export const READ_AS: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'json'],
  number: ['number', 'cents'],
  bool: ['bool'],
  date: ['epoch_s', 'epoch_ms'],
  datetime: ['epoch_s', 'epoch_ms'],
}

export const READ_AS_LABELS: Readonly<Record<string, string>> = {
  text: 'text',
  json: 'JSON',
  number: 'number',
  cents: 'cents',
  bool: 'yes or no',
  epoch_s: 'seconds since 1970',
  epoch_ms: 'milliseconds since 1970',
}

/** Larger timestamps are taken as milliseconds. */
const MAX_SECONDS = 100_000_000_000

/** The default conversion of a value for a field type; undefined for none. */
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
  return number > MAX_SECONDS ? 'epoch_ms' : 'epoch_s'
}

/** A readable form of an entry: `data.object.id`, or the name of a header. */
export function entryText({ path, header, value }: Entry): string {
  if (header !== undefined) return `header ${header}`
  if (path === undefined) return `always ${JSON.stringify(value)}`
  const keys = path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  return keys.length === 0 ? 'the whole event' : keys.join('.')
}
