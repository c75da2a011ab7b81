import { isId } from '../../lib/ids.ts'
import { didYouMean, MAX_LISTED } from '../../lib/near-miss.ts'
import { atPlace, invalid, invisibleName, refused } from '../../lib/refusal.ts'
import {
  codePointLength,
  fold,
  hasControlCharacter,
  isInvisible,
  isName,
  MAX_NAME_LENGTH,
  normalized,
  quoteList,
} from '../../lib/text.ts'
import { skeletonsOf } from './lookalikes.ts'

/** Returns the name as given; refuses one that is empty, longer than 500 characters or has control characters. */
export function checkedName(name: string, what: 'key' | 'structure'): string {
  if (isInvisible(name)) throw invisibleName(`The name of a ${what}`, atPlace('name'))
  if (isName(name)) return name
  throw invalid(
    `The name of a ${what} must be 1 to ${MAX_NAME_LENGTH} characters without control characters.`,
    atPlace('name'),
  )
}

/** The longest name of a user or workspace, in characters. */
const MAX_ACCOUNT_NAME_LENGTH = 200

/** Invisible characters that a name could contain. */
const IGNORABLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u
const IS_BLANK = /\p{White_Space}/u

/** Removes surrounding blanks. Unlike `trim` it preserves a byte order mark, which is then refused. */
export function trimmedName(name: string): string {
  let [start, end] = [0, name.length]
  while (start < end && IS_BLANK.test(name.charAt(start))) start++
  while (start < end && IS_BLANK.test(name.charAt(end - 1))) end--
  return name.slice(start, end)
}

/** The lookup key for names of users and workspaces: without surrounding blanks, NFKC, ignoring case. */
export const nameKey = (name: string): string => fold(normalized(trimmedName(name), 'NFKC'))

/**
 * Returns the new name of a user or workspace without surrounding blanks. Refuses a name that could be mistaken for
 * another: with control or invisible characters, or in the format of an id.
 */
export function checkedAccountName(name: string, what: 'user' | 'workspace'): string {
  const trimmed = trimmedName(name)
  const length = codePointLength(trimmed)
  if (isInvisible(trimmed)) throw invisibleName(`The name of a ${what}`, atPlace('name'))
  if (
    length < 1 ||
    length > MAX_ACCOUNT_NAME_LENGTH ||
    hasControlCharacter(trimmed) ||
    IGNORABLE.test(trimmed)
  )
    throw invalid(
      `The name of a ${what} must be 1 to ${MAX_ACCOUNT_NAME_LENGTH} characters without control or invisible characters.`,
      atPlace('name'),
    )
  if (isId(nameKey(name)))
    throw invalid(`The name of a ${what} cannot look like an id; choose another name.`, atPlace('name'))
  return trimmed
}

/** The key stored with a name; all names that look like it share the key. */
export const storedKey = (name: string): string => skeletonsOf(nameKey(name))[0]

export const columnsOfName = (name: string) => ({ name, nameFold: fold(name), nameKey: storedKey(name) })

/** The row that this name identifies, among rows whose names look alike. */
export const rowNamed = <Row extends { readonly name: string }>(
  rows: readonly Row[],
  name: string,
): Row | undefined => rows.find((row) => nameKey(row.name) === nameKey(name))

/** Lists the names, by default with the word before the last. Lists longer than the limit show only the first names. */
const someOf = (names: readonly string[], list = quoteList): string =>
  names.length <= MAX_LISTED
    ? list(names)
    : `${quotedWithCommas(names.slice(0, MAX_LISTED))} and ${names.length - MAX_LISTED} more`

const quotedWithCommas = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

/**
 * The only row, when the command names none. Refuses with a list of the names when there are several, or when no row
 * has the given name.
 */
export function getOnly<Row extends { readonly name: string }>(
  rows: readonly Row[],
  what: 'user' | 'workspace',
  unknown: string | undefined,
): Row {
  const known = rows.map(({ name }) => name)
  if (unknown !== undefined)
    throw refused(
      `There is no ${what} "${unknown}"; there is ${someOf(known) || 'none yet'}.${didYouMean(unknown, known)}`,
    )
  const [only, ...others] = rows
  if (only && others.length === 0) return only
  if (!only) throw refused(`There is no ${what} yet.`)
  throw refused(`Several ${what}s exist; choose one with --${what}: ${someOf(known, quotedWithCommas)}.`)
}
