import { parse, Schema } from 'yaml'

/** A Markdown file, split. */
export interface MarkdownFile {
  /** Undefined when the file has no front matter, or when that is not a YAML mapping. */
  readonly frontMatter: Readonly<Record<string, unknown>> | undefined
  /** Everything after the front matter, unchanged. */
  readonly body: string
}

const FENCED = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/
/** A YAML alias repeats another value; a few nested ones may expand to gigabytes. */
const MAX_ALIASES = 50

const CORE = new Schema({ schema: 'core' })
const INTEGER_TAG = 'tag:yaml.org,2002:int'
const SAFE_INTEGER = /^-?(?:0|[1-9]\d{0,14})$/

/** Integers that would not be written back in the same form stay text: `007`, `0x1f`, and what no double can hold. */
const LOSSLESS = new Schema({
  schema: 'core',
  customTags: (tags) =>
    tags
      .filter((tag) => typeof tag === 'string' || tag.tag !== INTEGER_TAG || !('format' in tag))
      .map((tag) =>
        typeof tag === 'string' || tag.tag !== INTEGER_TAG || tag.collection
          ? tag
          : { ...tag, test: SAFE_INTEGER },
      ),
})

/**
 * Splits a Markdown file into its front matter, between two lines of three dashes at the very beginning, and its body.
 * With `lossless`, integers that would not be written back in the same form are returned as text.
 */
export function splitFrontMatter(text: string, { lossless = false } = {}): MarkdownFile {
  const match = FENCED.exec(text)
  const yaml = match?.[1] ?? ''
  const frontMatter = match
    ? (parseSimpleYaml(yaml) ?? parseMapping(yaml, lossless ? LOSSLESS : CORE))
    : undefined
  return match && frontMatter
    ? { frontMatter, body: text.slice(match[0].length) }
    : { frontMatter: undefined, body: text }
}

function parseMapping(yaml: string, schema: Schema): Record<string, unknown> | undefined {
  try {
    const value: unknown = parse(yaml, {
      schema,
      maxAliasCount: MAX_ALIASES,
      logLevel: 'error',
      uniqueKeys: false,
      prettyErrors: false,
    })
    if (value === null) return {}
    // Throws for a value that contains itself.
    JSON.stringify(value)
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Words that YAML reads as text without quotes. */
const PLAIN_TEXT = /^[A-Za-z\u00c0-\u024f](?:[\w./\u00c0-\u024f -]*[\w./\u00c0-\u024f])?$/
const NULL_OR_BOOLEAN = /^(?:null|true|false)$/i
const QUOTED = /^"([^"\\]*)"$|^'([^']*)'$/
const DAY = /^\d{4}-\d{2}-\d{2}$/
const KEY_LINE = /^([A-Za-z][\w-]*(?: [\w-]+)*):(?: +(.*?))? *$/
const ITEM_LINE = /^( *)- +(.*?) *$/

/** Undefined for anything that is not certain to be a plain scalar. */
function parseScalar(text: string): string | number | boolean | undefined {
  if (DAY.test(text)) return text
  if (SAFE_INTEGER.test(text)) return Number(text)
  if (text === 'true' || text === 'false') return text === 'true'
  if (PLAIN_TEXT.test(text)) return NULL_OR_BOOLEAN.test(text) ? undefined : text
  const quoted = QUOTED.exec(text)
  return quoted ? (quoted[1] ?? quoted[2]) : undefined
}

function parseFlatList(text: string): unknown[] | undefined {
  if (!text.startsWith('[') || !text.endsWith(']')) return undefined
  const inner = text.slice(1, -1).trim()
  // A comma in quotes splits a text into two parts, neither of which is a valid scalar.
  const values = inner === '' ? [] : inner.split(',').map((word) => parseScalar(word.trim()))
  return values.includes(undefined) ? undefined : values
}

/**
 * Parses front matter in the form that nearly all notes have: keys with words, numbers, days and flat lists. Returns
 * undefined for anything else, which is left to a full YAML parser; that takes twenty times as long, half of an import.
 */
export function parseSimpleYaml(yaml: string): Record<string, unknown> | undefined {
  const mapping: Record<string, unknown> = {}
  let list: { readonly items: unknown[]; readonly indent: string } | undefined
  let lastKey = ''
  for (const line of yaml.split(/\r?\n/)) {
    const [, indent, item = ''] = ITEM_LINE.exec(line) ?? []
    if (indent !== undefined) {
      const value = parseScalar(item)
      if (!list && mapping[lastKey] === null) list = { items: [], indent }
      if (value === undefined || list?.indent !== indent) return undefined
      list.items.push(value)
      mapping[lastKey] = list.items
      continue
    }
    const [, key, text = ''] = KEY_LINE.exec(line) ?? []
    if (key === undefined || NULL_OR_BOOLEAN.test(key) || Object.hasOwn(mapping, key)) return undefined
    const value = text === '' ? null : (parseScalar(text) ?? parseFlatList(text))
    if (value === undefined) return undefined
    mapping[key] = value
    lastKey = key
    list = undefined
  }
  return mapping
}
