import { parse } from 'yaml'

/** A Markdown file told apart. */
export interface MatterFile {
  /** What the front matter says; undefined without one, or when it is not a map of YAML. */
  readonly matter: Readonly<Record<string, unknown>> | undefined
  /** Everything after it, byte for byte. */
  readonly body: string
}

const FENCED = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/
/** An alias in YAML repeats what stands elsewhere; a few may multiply to gigabytes. */
const MOST_ALIASES = 50

/** The front matter of a Markdown file, between two lines of three dashes at its very beginning. */
export function splitFrontMatter(text: string): MatterFile {
  const match = FENCED.exec(text)
  const matter = match ? mapOf(match[1] ?? '') : undefined
  return match && matter ? { matter, body: text.slice(match[0].length) } : { matter: undefined, body: text }
}

function mapOf(yaml: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parse(yaml, { maxAliasCount: MOST_ALIASES, logLevel: 'silent', uniqueKeys: false })
    if (value === null) return {}
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
