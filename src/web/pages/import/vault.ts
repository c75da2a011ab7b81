import { parse } from 'yaml'

/** A file of a folder that is brought in. */
export interface VaultFile {
  /** Below the folder: `Recipes/Bread.md`. */
  readonly path: string
  readonly file: File
}

/** A note as a Markdown file says it. */
export interface ReadNote {
  readonly title: string
  readonly content: string
  readonly tags: readonly string[]
  readonly alias: string | undefined
  /** The other keys of the front matter. */
  readonly values: Readonly<Record<string, string>>
}

const MARKDOWN = /\.(?:md|markdown)$/i
export const isMarkdown = ({ path }: VaultFile): boolean => MARKDOWN.test(path)

/** What programs keep for themselves. */
export const isOwn = (path: string): boolean =>
  path.split('/').some((part) => part.startsWith('.') || part === 'node_modules')

const FENCED = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/
const MOST_TITLE = 500
const MOST_TAGS = 100

/** Reads a Markdown file: its name is the title, its folder a tag, and its front matter tags, alias and properties. */
export function readNote(path: string, text: string): ReadNote {
  const parts = path.split('/')
  const title = (parts.pop() ?? path).replace(MARKDOWN, '').slice(0, MOST_TITLE)
  const matched = FENCED.exec(text)
  const front = matched ? frontMatter(matched[1] ?? '') : undefined
  const content = matched && front ? text.slice(matched[0].length) : text
  const { tags, tag, aliases, alias, title: _, ...others } = front ?? {}
  const folder = parts.map(tagOf).filter(Boolean).join('/')
  const named = [folder, ...words(tags), ...words(tag)].map((name) => tagOf(name)).filter(Boolean)
  const values = Object.entries(others).flatMap(([key, value]) => {
    const text = [value].flat().map(String).join(', ')
    const name = keyOf(key)
    return value === null ||
      (typeof value === 'object' && !Array.isArray(value)) ||
      name === '' ||
      text === ''
      ? []
      : [[name, text] as const]
  })
  return {
    title,
    content: content.replace(/^\uFEFF/, ''),
    tags: [...new Set(named)].slice(0, MOST_TAGS),
    alias: words(aliases)[0] ?? words(alias)[0],
    values: Object.fromEntries(values),
  }
}

function frontMatter(yaml: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parse(yaml, { schema: 'failsafe', maxAliasCount: 10 })
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** `a, b`, `[a, b]` and a list are the same. */
const words = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []).flatMap((one) => {
    const word = String(one).trim()
    return word === '' ? [] : word
  })

/** A name as a tag may have it: `#Cooking at home` is `cooking-at-home`. */
const tagOf = (name: string): string =>
  name
    .split('/')
    .map((part) => joined(part, /[^\p{L}\p{N}_]+/u, '-'))
    .filter(Boolean)
    .join('/')
    .slice(0, 100)

/** A key as a property may have it. */
const keyOf = (key: string): string =>
  joined(key.normalize('NFKD').toLowerCase(), /[^a-z0-9]+/, '_')
    .replace(/^[_0-9]+/, '')
    .slice(0, 63)

/** What is between separators, joined by another. */
const joined = (text: string, separator: RegExp, by: string): string =>
  text.split(separator).filter(Boolean).join(by)

const EMBED = /!\[\[([^\]|#]+)((?:#[^\]|]*)?(?:\|[^\]]*)?)\]\]|!\[([^\]]*)\]\((?!https?:)([^)\s]+)\)/g

/** Puts stored files where the text shows files of the folder, by their path or by their name alone. */
export function withFiles(
  text: string,
  find: (name: string) => { id: string; name: string } | undefined,
): string {
  return text.replaceAll(
    EMBED,
    (whole, wiki: string | undefined, _more, _words, path: string | undefined) => {
      const stored = find(decoded(wiki ?? path ?? ''))
      return stored ? `![[file:${stored.id}|${stored.name}]]` : whole
    },
  )
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path.trim())
  } catch {
    return path.trim()
  }
}
