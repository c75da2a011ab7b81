/** A word or several, such as YAML takes for a text without quotes; none that it takes for something else. */
const TEXT = /^[A-Za-z\u00c0-\u024f](?:[\w./\u00c0-\u024f -]*[\w./\u00c0-\u024f])?$/
const NOTHING_OR_YES_NO = /^(?:null|true|false)$/i
const QUOTED = /^"([^"\\]*)"$|^'([^']*)'$/
const INTEGER = /^-?(?:0|[1-9]\d{0,14})$/
const DAY = /^\d{4}-\d{2}-\d{2}$/
const LINE = /^([A-Za-z][\w-]*(?: [\w-]+)*):(?: +(.*?))? *$/
const ITEM = /^( *)- +(.*?) *$/

/** Undefined for whatever is not beyond doubt. */
function plainScalar(written: string): string | number | boolean | undefined {
  if (DAY.test(written)) return written
  if (INTEGER.test(written)) return Number(written)
  if (written === 'true' || written === 'false') return written === 'true'
  if (TEXT.test(written)) return NOTHING_OR_YES_NO.test(written) ? undefined : written
  const quoted = QUOTED.exec(written)
  return quoted ? (quoted[1] ?? quoted[2]) : undefined
}

function plainList(written: string): unknown[] | undefined {
  if (!written.startsWith('[') || !written.endsWith(']')) return undefined
  const inner = written.slice(1, -1).trim()
  // A comma in quotes divides a text in two that are none.
  const values = inner === '' ? [] : inner.split(',').map((word) => plainScalar(word.trim()))
  return values.includes(undefined) ? undefined : values
}

/**
 * Front matter as nearly all notes have it: keys with words, numbers, days and flat lists. Undefined for anything else,
 * which is left to a parser of all of YAML; that takes twenty times as long, half of a whole import.
 */
export function plainMatter(yaml: string): Record<string, unknown> | undefined {
  const matter: Record<string, unknown> = {}
  let list: { readonly items: unknown[]; readonly indent: string } | undefined
  let lastKey = ''
  for (const line of yaml.split(/\r?\n/)) {
    const [, indent, word = ''] = ITEM.exec(line) ?? []
    if (indent !== undefined) {
      const value = plainScalar(word)
      if (!list && matter[lastKey] === null) list = { items: [], indent }
      if (value === undefined || list?.indent !== indent) return undefined
      list.items.push(value)
      matter[lastKey] = list.items
      continue
    }
    const [, key, written = ''] = LINE.exec(line) ?? []
    if (key === undefined || NOTHING_OR_YES_NO.test(key) || Object.hasOwn(matter, key)) return undefined
    const value = written === '' ? null : (plainScalar(written) ?? plainList(written))
    if (value === undefined) return undefined
    matter[key] = value
    lastKey = key
    list = undefined
  }
  return matter
}
