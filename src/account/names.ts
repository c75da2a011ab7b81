import { didYouMean } from '../lib/near-miss.ts'
import { fold, isName, MAX_NAME_LENGTH, quoteList } from '../lib/text.ts'
import { fail, invalid, refused } from '../refusal.ts'

/** Returns the name as given; refuses one that is empty, longer than 500 characters or has control characters. */
export function checkedName(name: string, what: 'key' | 'user' | 'workspace' | 'structure'): string {
  if (isName(name)) return name
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
  const known = rows.map(({ name }) => name)
  const names = quoteList(known)
  if (nameOrId !== undefined) {
    return (
      findNamed(rows, nameOrId) ??
      fail(
        refused(
          `There is no ${what} "${nameOrId}"; there is ${names || 'none yet'}.${didYouMean(nameOrId, known)}`,
        ),
      )
    )
  }
  const [only, ...others] = rows
  if (only && others.length === 0) return only
  throw refused(only ? `There are several ${what}s; name one of ${names}.` : `There is no ${what} yet.`)
}
