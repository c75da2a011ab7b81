import type { Field } from './model.ts'

/** The field that a sentence of the server names first, in quotes. */
export function faultyField<Known extends Pick<Field, 'key'>>(
  fields: readonly Known[],
  sentence: string,
): Known | undefined {
  const named = fields
    .map((field) => ({ field, at: sentence.indexOf(`"${field.key}"`) }))
    .filter(({ at }) => at >= 0)
  return named.toSorted((one, other) => one.at - other.at)[0]?.field
}

/** The row of a batch that a sentence of the server names, counted from 0: `Row 3: …`. */
export function faultyRow(sentence: string): number | undefined {
  const named = /^Row (\d+)\b/.exec(sentence)
  return named ? Number(named[1]) - 1 : undefined
}

/** The sentence about a row, without the number that the row has in its batch. */
export const withoutRow = (sentence: string): string => sentence.replace(/^Row \d+: /, '')
