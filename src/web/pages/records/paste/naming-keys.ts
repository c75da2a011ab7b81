/** Values of a row by their keys; null is none. */
export type Data = Record<string, string | number | boolean | null>

/** A row that the block is written over. */
export interface Covered {
  readonly record: { readonly data: Readonly<Record<string, unknown>> }
  readonly data: Data
}

interface Unique {
  readonly fields: readonly { readonly key: string; readonly unique: boolean }[]
  readonly unique_together: readonly (readonly string[])[]
}

/**
 * The fields that say which rows are meant, so that one batch can update them: a unique field, or fields that are
 * unique together, which every covered row has and the block leaves as it is. Undefined where there are none, or where
 * a new row of the block could be taken for a row that exists.
 */
export function namingKeys(
  { fields, unique_together }: Unique,
  over: readonly Covered[],
  beyond: readonly Data[],
): readonly string[] | undefined {
  const sets = [...fields.filter(({ unique }) => unique).map(({ key }) => [key]), ...unique_together]
  const isFilled = (data: Data, key: string) => (data[key] ?? null) !== null
  if (beyond.some((data) => sets.some((set) => set.every((key) => isFilled(data, key))))) return undefined
  const names = ({ record, data }: Covered, key: string) =>
    record.data[key] !== undefined && (!(key in data) || data[key] === record.data[key])
  return sets.find((set) => set.every((key) => over.every((covered) => names(covered, key))))
}
