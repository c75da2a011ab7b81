const DAY = '\\d{4}-\\d{2}-\\d{2}'
const INTEGER = '(?:0|-?[1-9]\\d{0,14})(?![\\w.])'
/** Words that YAML reads as text without quotes, or as null, true or false. */
const WORDS = '[a-z\\u00c0-\\u024f](?:[\\w./\\u00c0-\\u024f -]*[\\w./\\u00c0-\\u024f])?'
const SCALAR = `(?:${DAY}|${INTEGER}|${WORDS}|"[^"\\\\\\s]*(?: [^"\\\\\\s]+)*"|'[^'\\s]*(?: [^'\\s]+)*')`
const FLAT_LIST = `\\[ *(?:${SCALAR}(?: *, *${SCALAR})*)? *\\]`
const END = ' *(?:\\r?\\n|$)'
const ITEMS = `( *)- +${SCALAR}${END}(?:\\1- +${SCALAR}${END})*`
/** A key with a scalar, a flat list, a list of lines, or nothing. */
const SIMPLE_ENTRY = new RegExp(
  `(?!(?:null|true|false) *:)[a-z][\\w-]*(?: [\\w-]+)*:(?: +(?:${SCALAR}|${FLAT_LIST})${END}|${END}(?:${ITEMS})?)`,
  'iy',
)

/**
 * Parses front matter in the form that nearly all notes have: keys with words, numbers, days and flat lists, which the
 * parser of the runtime reads as the full one does. Returns undefined for anything else, which is left to the full YAML parser;
 * that takes twenty times as long, half of an import.
 */
export function parseSimpleYaml(yaml: string): Record<string, unknown> | undefined {
  SIMPLE_ENTRY.lastIndex = 0
  while (SIMPLE_ENTRY.lastIndex < yaml.length) if (!SIMPLE_ENTRY.test(yaml)) return undefined
  return yaml === '' ? undefined : (Bun.YAML.parse(yaml) as Record<string, unknown>)
}
