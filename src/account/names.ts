import { codePointLength, fold, hasControlCharacter, quoteList } from '../lib/text.ts'
import { fail, invalid, refused } from '../refusal.ts'

const MAX_NAME_LENGTH = 500

/** Returns the name as given; refuses one that is empty, longer than 500 characters or has control characters. */
export function checkedName(name: string, what: 'key' | 'user' | 'workspace' | 'structure'): string {
  const length = codePointLength(name)
  if (length >= 1 && length <= MAX_NAME_LENGTH && !hasControlCharacter(name)) return name
  throw invalid(
    `The name of a ${what} must be 1 to ${MAX_NAME_LENGTH} characters without control characters.`,
  )
}

interface Named {
  readonly id: string
  readonly name: string
  readonly nameFold: string
}

/** Finds a row by id, or by name ignoring case. */
export const findNamed = <Row extends Named>(rows: readonly Row[], nameOrId: string): Row | undefined =>
  rows.find(({ id, nameFold }) => id === nameOrId || nameFold === fold(nameOrId))

/** The row with this name or id, or without one the only row. Refuses with a list of the names when there are several. */
export function getNamedOrOnly<Row extends Named>(
  rows: readonly Row[],
  what: 'user' | 'workspace',
  nameOrId: string | undefined,
): Row {
  const names = quoteList(rows.map(({ name }) => name))
  if (nameOrId !== undefined) {
    return (
      findNamed(rows, nameOrId) ??
      fail(refused(`There is no ${what} "${nameOrId}"; there is ${names || 'none yet'}.`))
    )
  }
  const [only, ...others] = rows
  if (only && others.length === 0) return only
  throw refused(only ? `There are several ${what}s; name one of ${names}.` : `There is no ${what} yet.`)
}
