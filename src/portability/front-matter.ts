import { parse, Schema } from 'yaml'
import { isObject } from '../lib/json.ts'

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
const NULL_OR_BOOLEAN = /^(?:null|true|false)$/i

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

export interface FrontMatterOptions {
  /** Whether integers that would not be written back in the same form are returned as text. */
  readonly lossless?: boolean
  /** A parser that is faster, and returns undefined for what it does not know. */
  readonly parseSimple?: (yaml: string) => Record<string, unknown> | undefined
}

/**
 * Splits a Markdown file into its front matter, between two lines of three dashes at the very beginning, and its body.
 */
export function splitFrontMatter(
  text: string,
  { lossless = false, parseSimple }: FrontMatterOptions = {},
): MarkdownFile {
  const match = FENCED.exec(text)
  const yaml = match?.[1] ?? ''
  const frontMatter = match
    ? (parseSimple?.(yaml) ?? parseJsonLines(yaml) ?? parseMapping(yaml, lossless ? LOSSLESS : CORE))
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
