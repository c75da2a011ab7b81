import { parse, Schema } from 'yaml'
import { plainMatter } from './plain-front-matter.ts'

/** A Markdown file told apart. */
export interface MatterFile {
  /** What the front matter says; undefined without one, or when it is not a map of YAML. */
  readonly matter: Readonly<Record<string, unknown>> | undefined
  /** Everything after it, byte for byte. */
  readonly body: string
}

const FENCED = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/
/** An alias in YAML repeats what stands elsewhere; a few may multiply to gigabytes. */
const MOST_ALIASES = 50

const PLAIN = new Schema({ schema: 'core' })
const INTEGER = 'tag:yaml.org,2002:int'
const SAFE_INTEGER = /^-?(?:0|[1-9]\d{0,14})$/

/** Integers that come back as they are written: `007`, `0x1f` and what no double holds stay texts. */
const AS_WRITTEN = new Schema({
  schema: 'core',
  customTags: (tags) =>
    tags
      .filter((tag) => typeof tag === 'string' || tag.tag !== INTEGER || !('format' in tag))
      .map((tag) =>
        typeof tag === 'string' || tag.tag !== INTEGER || tag.collection
          ? tag
          : { ...tag, test: SAFE_INTEGER },
      ),
})

/**
 * The front matter of a Markdown file, between two lines of three dashes at its very beginning. With `asWritten` whatever
 * would not come back as it is written is a text.
 */
export function splitFrontMatter(text: string, { asWritten = false } = {}): MatterFile {
  const match = FENCED.exec(text)
  const yaml = match?.[1] ?? ''
  const matter = match ? (plainMatter(yaml) ?? mapOf(yaml, asWritten ? AS_WRITTEN : PLAIN)) : undefined
  return match && matter ? { matter, body: text.slice(match[0].length) } : { matter: undefined, body: text }
}

function mapOf(yaml: string, schema: Schema): Record<string, unknown> | undefined {
  try {
    const value: unknown = parse(yaml, {
      schema,
      maxAliasCount: MOST_ALIASES,
      logLevel: 'error',
      uniqueKeys: false,
      prettyErrors: false,
    })
    if (value === null) return {}
    // Throws for a value that holds itself, which nothing could walk.
    JSON.stringify(value)
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
