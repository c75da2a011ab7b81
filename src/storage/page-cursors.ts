import { atPlace, invalid, refused } from '../lib/refusal.ts'
import { sha256 } from '../lib/sha256.ts'
import type { Reader } from './reader.ts'
import type { Direction } from './sql.ts'
import type { Tx } from './writes/transaction.ts'

/*
 * Cursors of keyset paging. A cursor holds a digest of the request and the position at which its page begins: a sort
 * value, and a tie among the items with this value. It refers to no item, so that changes and deletions of items leave
 * it valid.
 *
 * A long text is shortened to the prefix that separates the last item of a page from the next one. Where they share a
 * long prefix, the text is stored in `sort_values`, and the cursor holds its digest.
 */

export type SortValue = string | number | null

/** A page begins after the item with this value and tie, which need not exist. Lists use `pk`, `id` or both as tie. */
export interface PagePosition {
  readonly value: SortValue
  readonly id: string
  readonly pk: number
}

const BEFORE_ALL = { id: '', pk: 0 }
const AFTER_ALL = { id: '~', pk: Number.MAX_SAFE_INTEGER }

/** The cursor of the first page. */
export const START = 'start'

/** In bytes as JSON; with it a cursor has at most 500 characters. */
const MAX_VALUE = 270
const DIGEST_LENGTH = 16
const CHECK_LENGTH = 6

const isShort = (value: SortValue): boolean =>
  typeof value !== 'string' || Buffer.byteLength(JSON.stringify(value)) <= MAX_VALUE

const digestOf = (text: string): string => sha256(text).slice(0, 2 * DIGEST_LENGTH)

/** The digest of a request: everything that selects and orders its items, and the limit of its pages. */
export const requestDigest = (...parts: readonly unknown[]): string =>
  sha256(JSON.stringify(parts)).slice(0, DIGEST_LENGTH)

/** A cursor, and the text that must be stored before the cursor is returned. */
export interface NextCursor {
  readonly cursor: string
  readonly longValue?: string
}

/** The cursor of the page after the item `last`, which begins with an item of the value `next`. */
export function cursorBetween(
  request: string,
  last: PagePosition,
  next: SortValue,
  direction: Direction,
): NextCursor {
  const { value, id, pk } = boundary(last, next, direction)
  if (isShort(value)) return { cursor: encoded([request, value, id, pk]) }
  const longValue = String(value)
  return { cursor: encoded([request, [digestOf(longValue)], id, pk]), longValue }
}

/** The position of `last`, or one before the next value that is shorter. */
function boundary(last: PagePosition, next: SortValue, direction: Direction): PagePosition {
  if (isShort(last.value) || last.value === next) return last
  if (next === null) return { value: null, ...(direction === 'asc' ? BEFORE_ALL : AFTER_ALL) }
  const [greater, lesser] = direction === 'asc' ? [next, last.value] : [last.value, next]
  return { value: separator(String(greater), String(lesser)), ...BEFORE_ALL }
}

/** The shortest beginning of the greater text that is greater than the lesser text, in code point order. */
function separator(greater: string, lesser: string): string {
  let length = 0
  for (const character of greater) {
    if (!lesser.startsWith(character, length)) return greater.slice(0, length + character.length)
    length += character.length
  }
  return greater
}

/** A text that programs pass on unread. Its check tells a changed cursor from one of another request. */
function encoded(parts: readonly unknown[]): string {
  const body = Buffer.from(JSON.stringify(parts)).toString('base64url')
  return `${body}${checkOf(body)}`
}

const checkOf = (body: string): string => sha256(body).slice(0, CHECK_LENGTH)

const malformed = () =>
  invalid('"cursor" must be "start" or the `next_cursor` of a page of this list.', atPlace('cursor'))

/**
 * The position that a cursor holds; undefined at the start of the list. Refuses texts that are not cursors, and cursors
 * of another request.
 */
export function positionOf(
  reader: Reader,
  workspace: number,
  cursor: string,
  request: string,
): PagePosition | undefined {
  if (cursor === START) return undefined
  const [digest, value, id, pk] = decoded(cursor)
  if (digest !== request)
    throw refused(
      'The cursor belongs to a list with another filter, order or limit. Repeat these unchanged, or begin with cursor=start.',
      atPlace('cursor'),
    )
  return { value: Array.isArray(value) ? storedValue(reader, workspace, value[0]) : value, id, pk }
}

type Decoded = [request: string, value: SortValue | [string], id: string, pk: number]

function decoded(cursor: string): Decoded {
  const body = cursor.slice(0, -CHECK_LENGTH)
  const parts = cursor.endsWith(checkOf(body)) ? parsed(Buffer.from(body, 'base64url').toString()) : undefined
  if (!isDecoded(parts)) throw malformed()
  return parts
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isDecoded(parts: unknown): parts is Decoded {
  if (!Array.isArray(parts)) return false
  const [request, value, id, pk] = parts
  const isValue = value === null || typeof value === 'string' || Number.isFinite(value)
  const isDigest = Array.isArray(value) && typeof value[0] === 'string'
  return (
    typeof request === 'string' && (isValue || isDigest) && typeof id === 'string' && Number.isSafeInteger(pk)
  )
}

const FIND = 'SELECT value FROM sort_values WHERE workspace = ? AND digest = ?'

function storedValue({ sql }: Reader, workspace: number, digest: string): string {
  const [value] = sql.column<string>(FIND, workspace, digest)
  if (value === undefined) throw malformed()
  return value
}

/** A text to store for the cursors of a workspace. */
export interface LongValue {
  readonly workspace: number
  readonly value: string
}

/** The text that must be stored before the cursor is returned, unless it is stored already. */
export function findMissing(
  { sql }: Reader,
  workspace: number,
  next: NextCursor | undefined,
): LongValue | undefined {
  const value = next?.longValue
  if (value === undefined || sql.get(FIND, workspace, digestOf(value)) !== undefined) return undefined
  return { workspace, value }
}

export const saveLongValue = ({ sql }: Tx, { workspace, value }: LongValue): void =>
  void sql.run(
    'INSERT OR IGNORE INTO sort_values (workspace, digest, value) VALUES (?, ?, ?)',
    workspace,
    digestOf(value),
    value,
  )

/** Refuses `offset` beside `cursor`. */
export function refuseOffset(offset: number | undefined): void {
  if (offset !== undefined)
    throw invalid('"offset" does not go with "cursor"; leave it out.', atPlace('offset'))
}
