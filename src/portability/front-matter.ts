import { parse, Schema } from 'yaml'
import { isObject } from '../lib/json.ts'

/** A Markdown file, split. */
export interface MarkdownFile {
  /** Undefined when the file has no front matter, or when that is not a YAML mapping. */
  readonly frontMatter: Readonly<Record<string, unknown>> | undefined
  /** Everything after the front matter, unchanged. */
  readonly body: string
}

const FENCED = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/
/** The full parser takes about 20 µs a character for the worst texts of this length and depth. */
const MAX_YAML_LENGTH = 32_768
const MAX_DEPTH = 1_000
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
    ? (parseSimpleYaml(yaml) ?? parseJsonLines(yaml) ?? parseMapping(yaml, lossless ? LOSSLESS : CORE))
    : undefined
  return match && frontMatter
    ? { frontMatter, body: text.slice(match[0].length) }
    : { frontMatter: undefined, body: text }
}

/** Front matter as an export writes it, of any length: each line is a key and a value as JSON. */
function parseJsonLines(yaml: string): Record<string, unknown> | undefined {
  const mapping: Record<string, unknown> = {}
  try {
    for (const line of yaml.split('\n')) {
      const [key] = /^[a-z][a-z_]*(?=: )/.exec(line) ?? []
      if (key === undefined || NULL_OR_BOOLEAN.test(key) || Object.hasOwn(mapping, key)) return undefined
      const value: unknown = JSON.parse(line.slice(key.length + 2))
      // What a number in another form or as large as this means is for the YAML parser to say.
      if (typeof value === 'number' && !SAFE_INTEGER.test(line.slice(key.length + 2))) return undefined
      mapping[key] = value
    }
    return mapping
  } catch {
    return undefined
  }
}

function isTooDeep(yaml: string): boolean {
  let depth = 0
  for (const sign of yaml) {
    if (sign === '[' || sign === '{') depth += 1
    else if (sign === ']' || sign === '}') depth -= 1
    if (depth > MAX_DEPTH) return true
  }
  return false
}

function parseMapping(yaml: string, schema: Schema): Record<string, unknown> | undefined {
  if (yaml.length > MAX_YAML_LENGTH || isTooDeep(yaml)) return undefined
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
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Words that YAML reads as text without quotes. */
const PLAIN_TEXT = /^[A-Za-z\u00c0-\u024f](?:[\w./\u00c0-\u024f -]*[\w./\u00c0-\u024f])?$/
const NULL_OR_BOOLEAN = /^(?:null|true|false)$/i
const QUOTED = /^"([^"\\]*)"$|^'([^']*)'$/
const DAY = /^\d{4}-\d{2}-\d{2}$/
const KEY = /^[A-Za-z][\w-]*(?: [\w-]+)*$/
/** Line breaks for some YAML parsers and not for others. */
const ODD_LINE_BREAK = /[\r\u2028\u2029]/

/** The text without the spaces around it; other white space stays. In one pass, because a line may be hostile. */
function withoutSpaces(text: string): string {
  let start = 0
  let end = text.length
  while (text[start] === ' ') start += 1
  while (end > start && text[end - 1] === ' ') end -= 1
  return text.slice(start, end)
}

/** Splits `  - item`. */
function itemLine(line: string): { indent: string; item: string } | undefined {
  const dash = line.indexOf('-')
  if (dash === -1 || line[dash + 1] !== ' ') return undefined
  const indent = line.slice(0, dash)
  return withoutSpaces(indent) === '' ? { indent, item: withoutSpaces(line.slice(dash + 1)) } : undefined
}

/** Splits `key: text`. */
function keyLine(line: string): { key: string; text: string } | undefined {
  const colon = line.indexOf(':')
  const key = line.slice(0, Math.max(0, colon))
  const rest = line.slice(colon + 1)
  if ((rest !== '' && rest[0] !== ' ') || !KEY.test(key)) return undefined
  return { key, text: withoutSpaces(rest) }
}

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
    if (ODD_LINE_BREAK.test(line)) return undefined
    const entry = itemLine(line)
    if (entry) {
      const value = parseScalar(entry.item)
      if (!list && mapping[lastKey] === null) list = { items: [], indent: entry.indent }
      if (value === undefined || list?.indent !== entry.indent) return undefined
      list.items.push(value)
      mapping[lastKey] = list.items
      continue
    }
    const { key, text } = keyLine(line) ?? { key: undefined, text: '' }
    if (key === undefined || NULL_OR_BOOLEAN.test(key) || Object.hasOwn(mapping, key)) return undefined
    const value = text === '' ? null : (parseScalar(text) ?? parseFlatList(text))
    if (value === undefined) return undefined
    mapping[key] = value
    lastKey = key
    list = undefined
  }
  return mapping
}
