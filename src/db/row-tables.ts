/*
 * The names of what is made per structure. They come from numbers alone, never from what a user wrote, and
 * are the only thing besides constants that ever stands in an SQL text.
 */

/** The table of a structure's live rows. */
export const rowTable = (structurePk: number): string => `rows_${structurePk}`

/** The structure's search table (`structures/row-search.ts`). */
export const rowSearchTable = (structurePk: number): string => `${rowTable(structurePk)}_search`

/** Holds a field's values: text, REAL for numbers, INTEGER 0 or 1 for yes/no; NULL without a value. */
export const valueColumn = (column: number): string => `f${column}`

/**
 * Holds, for text and select, the folded text where it differs from the text as written, and for numbers
 * their JSON text where it is not a plain whole number; else NULL.
 */
export const companionColumn = (column: number): string => `g${column}`

/** The value as text in the form in which case is ignored; what search and sorting look at. */
export const foldedText = (column: number): string =>
  `coalesce(${companionColumn(column)}, ${valueColumn(column)})`

/** A number as JSON writes it. */
export const numberText = (column: number): string =>
  `coalesce(${companionColumn(column)}, CAST(CAST(${valueColumn(column)} AS INTEGER) AS TEXT))`
