import { once } from '../lib/bounded-cache.ts'
import { isObject } from '../lib/json.ts'

export interface MarkdownFile {
  /** Undefined when the file has no front matter, or when that is not a YAML mapping. */
  readonly frontMatter: Readonly<Record<string, unknown>> | undefined
  /** Everything after the front matter, unchanged. */
  readonly body: string
}

/** The fences of front matter with the lines between them. */
export const FENCED = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/
/** The full parser takes about 20 µs a character for the worst texts of this length and depth. */
export const MAX_YAML_LENGTH = 32_768
const MAX_DEPTH = 1_000
/** A YAML alias repeats another value; a few nested ones may expand to gigabytes. */
const MAX_ALIASES = 50

/** Loaded with the first front matter in YAML that is not simple; servers start sooner without it. */
const yamlLibrary = once(() => require('yaml') as typeof import('yaml'))

const INTEGER_TAG = 'tag:yaml.org,2002:int'
const SAFE_INTEGER = /^-?(?:0|[1-9]\d{0,14})$/
const NULL_OR_BOOLEAN = /^(?:null|true|false)$/i

/** The rules for reading values: all of YAML's core schema, or integers only where nothing is lost. */
export type YamlSchema = 'core' | 'lossless'

/** Integers that would be written back differently stay text: `007`, `0x1f`, and integers that no double can hold. */
const schemas = once(() => {
  const { Schema } = yamlLibrary()
  return {
    core: new Schema({ schema: 'core' }),
    lossless: new Schema({
      schema: 'core',
      customTags: (tags) =>
        tags
          .filter((tag) => typeof tag === 'string' || tag.tag !== INTEGER_TAG || !('format' in tag))
          .map((tag) =>
            typeof tag === 'string' || tag.tag !== INTEGER_TAG || tag.collection
              ? tag
              : { ...tag, test: SAFE_INTEGER },
          ),
    }),
  }
})

/**
 * Splits a Markdown file into its front matter, between two lines of three dashes at the very beginning, and its body.
 */
export function splitFrontMatter(text: string, schema: YamlSchema = 'core'): MarkdownFile {
  const match = FENCED.exec(text)
  const yaml = match?.[1] ?? ''
  const frontMatter = match
    ? (parseSimpleYaml(yaml) ?? parseJsonLines(yaml) ?? parseMapping(yaml, schema))
    : undefined
  return match && frontMatter
    ? { frontMatter, body: text.slice(match[0].length) }
    : { frontMatter: undefined, body: text }
}

/** Front matter in another syntax than YAML: TOML between lines of three pluses, or a JSON object. */
const OTHER_FENCES: readonly (readonly [fenced: RegExp, language: 'TOML' | 'JSON'])[] = [
  [/^\+\+\+[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??\+\+\+[ \t]*(?:\r?\n|$)/, 'TOML'],
  [/^(\{[ \t]*\r?\n[\s\S]*?\r?\n\})[ \t]*(?:\r?\n|$)/, 'JSON'],
]

/** Loaded with the first front matter in TOML. */
const tomlLibrary = once(() => require('smol-toml') as typeof import('smol-toml'))

export interface OtherFrontMatter {
  readonly language: 'TOML' | 'JSON'
  /** Undefined if the text is not a mapping in this language, or too long. */
  readonly fields: Readonly<Record<string, unknown>> | undefined
  /** The offset of the body. */
  readonly bodyStart: number
}

/** Finds front matter in TOML or JSON at the very beginning of a Markdown file. */
export function otherFrontMatter(text: string): OtherFrontMatter | undefined {
  for (const [fenced, language] of OTHER_FENCES) {
    const match = fenced.exec(text)
    if (!match) continue
    const [{ length: bodyStart }, written = ''] = match
    return { language, bodyStart, fields: parseOther(language, written) }
  }
  return undefined
}

function parseOther(language: 'TOML' | 'JSON', written: string): Record<string, unknown> | undefined {
  if (written.length > MAX_YAML_LENGTH || isTooDeep(written)) return undefined
  try {
    const value: unknown =
      language === 'JSON'
        ? JSON.parse(written, exactIntegers)
        : tomlLibrary().parse(written, { integersAsBigInt: 'asNeeded' })
    return isObject(value) ? JSON.parse(JSON.stringify(value, asText)) : undefined
  } catch {
    return undefined
  }
}

/** Integers that no double can hold, and numbers out of its range, stay text; older browsers have no `source`. */
const exactIntegers = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' &&
  !Number.isSafeInteger(value) &&
  (Number.isInteger(value) || !Number.isFinite(value))
    ? (context?.source ?? value)
    : value

/** Values that JSON does not have become text, as in YAML: days, large integers, and numbers that are not finite. */
const asText = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)) ? String(value) : value

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

/** The YAML parser of the runtime; browsers have none. */
const RUNTIME_YAML = (
  globalThis as { readonly Bun?: { readonly YAML: { parse(text: string): Record<string, unknown> } } }
).Bun?.YAML

/**
 * Parses the front matter of nearly all notes: keys with words, numbers, days and flat lists, which the parser of the
 * runtime reads as the full one does. Returns undefined for anything else. The full YAML parser then takes twenty times
 * as long, half of an import.
 */
export function parseSimpleYaml(yaml: string): Record<string, unknown> | undefined {
  if (!RUNTIME_YAML) return undefined
  SIMPLE_ENTRY.lastIndex = 0
  while (SIMPLE_ENTRY.lastIndex < yaml.length) if (!SIMPLE_ENTRY.test(yaml)) return undefined
  return yaml === '' ? undefined : RUNTIME_YAML.parse(yaml)
}

/** Parses front matter in the form of exports, of any length: each line is a key and a value as JSON. */
function parseJsonLines(yaml: string): Record<string, unknown> | undefined {
  const mapping: Record<string, unknown> = {}
  try {
    for (const line of yaml.split('\n')) {
      const [key] = /^[a-z][a-z_]*(?=: )/.exec(line) ?? []
      if (key === undefined || NULL_OR_BOOLEAN.test(key) || Object.hasOwn(mapping, key)) return undefined
      const value: unknown = JSON.parse(line.slice(key.length + 2))
      // The YAML parser handles numbers in other notations and larger numbers.
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

/** A placeholder of a template as a value, such as `{{date}}`, which YAML would read as nested mappings. */
const TEMPLATE_VALUE = /^([ \t]*(?:[^\s:#-][^:\n]*:|-)[ \t]+)(\{\{[^\r\n]*)/gm

const OPTIONS = {
  maxAliasCount: MAX_ALIASES,
  logLevel: 'error',
  uniqueKeys: false,
  prettyErrors: false,
} as const

function parseMapping(yaml: string, schema: YamlSchema): Record<string, unknown> | undefined {
  if (yaml.length > MAX_YAML_LENGTH || isTooDeep(yaml)) return undefined
  try {
    const quoted = yaml.replace(
      TEMPLATE_VALUE,
      (_, before, value) => before + JSON.stringify(value.trimEnd()),
    )
    const value: unknown = yamlLibrary().parse(quoted, { ...OPTIONS, schema: schemas()[schema] })
    if (value === null) return {}
    // Throws for a value that contains itself.
    JSON.stringify(value)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A word of the same length, so that the places in the text stay. */
const maskOf = (value: string): string => 'x'.repeat(value.trimEnd().length).padEnd(value.length)

/** Parses front matter for edits of its text; undefined for invalid YAML. Placeholders of templates are masked. */
export function parseEditable(yaml: string) {
  if (isTooDeep(yaml)) return undefined
  const masked = yaml.replace(TEMPLATE_VALUE, (_, before, value) => before + maskOf(value))
  const document = yamlLibrary().parseDocument(masked, { ...OPTIONS, schema: schemas().lossless })
  return document.errors.length === 0 ? document : undefined
}
