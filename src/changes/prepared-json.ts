/*
 * Writing long texts as JSON takes as long as storing them. Where other writes wait for the transaction that stores them,
 * it is done before that begins.
 */

type Values = Readonly<Record<string, unknown>>

interface Prepared {
  readonly values: Values
  readonly text: string
}

const prepared: Prepared[] = []
let next = 0

/** Writes values as JSON text for `jsonOf`, which must be asked in the same order, until `discardJson`. */
export function prepareJson(values: Values): void {
  prepared.push({ values, text: JSON.stringify(values) })
}

/** The JSON text of texts, numbers and truth values by their names. */
export function jsonOf(values: Values): string {
  const one = prepared[next]
  if (!one || !isSame(one.values, values)) return JSON.stringify(values)
  next += 1
  return one.text
}

export function discardJson(): void {
  prepared.length = 0
  next = 0
}

/** Whether two objects have the same members in the same order; texts that are long are mostly the same objects. */
function isSame(one: Values, other: Values): boolean {
  const names = Object.keys(one)
  const others = Object.keys(other)
  return (
    names.length === others.length &&
    names.every((name, at) => name === others[at] && Object.is(one[name], other[name]))
  )
}
