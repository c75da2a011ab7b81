/*
 * Entity tags (RFC 9110, sections 8.8.3, 13.1.1 and 13.1.2). The tag of a response is strong: a hash of its body. So two
 * callers who see different parts of an object get different tags.
 */

/** The tag of a body, given as text or as its UTF-8 bytes. */
export const entityTag = (body: string | Uint8Array): string => `"${Bun.hash(body).toString(36)}"`

/** JSON text with a tag that covers another part of the object than the text: the output of some reads of one object. */
export interface TaggedJson {
  readonly json: string
  readonly tag: string
}

export const isTaggedJson = (output: unknown): output is TaggedJson =>
  typeof output === 'object' && output !== null && 'json' in output && 'tag' in output

/** The tag of an object shown with others: it changes with the object and with `text`, which describes the others. */
export const tagWith = (tag: string, text: string): string =>
  `${tag.slice(0, -1)}.${Bun.hash(text).toString(36)}"`

/** The tag of the object alone, which `If-Match` compares. */
export const tagOfObject = (tag: string): string => tag.replace(/\.[\da-z]+(?=(?:-zstd|-gzip)?"$)/, '')

/** The tag of the compressed body. Comparisons ignore the suffix. */
export const encodedTag = (tag: string, coding: string): string => `${tag.slice(0, -1)}-${coding}"`

const SUFFIX = /-(?:zstd|gzip)"$/
const TAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"'
const TAGS = new RegExp(TAG, 'g')
const LIST = new RegExp(`^[\\t ,]*${TAG}(?:[\\t ]*,[\\t ,]*${TAG})*[\\t ,]*$`)
const ANY = '*'

/** The tags in `If-Match` or `If-None-Match`, or `*`; undefined if the header is malformed. */
export function listedTags(header: string): readonly string[] | undefined {
  if (header.trim() === ANY) return [ANY]
  return LIST.test(header) ? (header.match(TAGS) ?? undefined) : undefined
}

/** Whether a strong tag is listed, as `If-Match` compares: weak tags never match. */
export const isListed = (tags: readonly string[], tag: string): boolean =>
  tags.some((listed) => listed === ANY || listed.replace(SUFFIX, '"') === tag)

/** Whether `If-None-Match` lists the tag, so that the response needs no body. Weak tags match; malformed headers do not. */
export function isCurrent({ headers }: Request, tag: string): boolean {
  const header = headers.get('if-none-match')
  if (header === null) return false
  const tags = listedTags(header) ?? []
  return isListed(
    tags.map((listed) => listed.replace(/^W\//, '')),
    tag,
  )
}
