/*
 * The names of the tables and columns of a structure. They are built from numbers only, never from user input; besides
 * constants, nothing else is ever inserted into SQL text.
 */

/** The table of a structure's live rows. */
export const rowTable = (structurePk: number): string => `rows_${structurePk}`

/** The table of the structure's text index, with the words of each row; not every structure has one. */
export const textIndexTable = (structurePk: number): string => `${rowTable(structurePk)}_text`

/** The table of all words in the text index. */
export const vocabularyTable = (structurePk: number): string => `${rowTable(structurePk)}_vocabulary`

/** The search table by which the words are found that contain a text. */
export const wordPartTable = (structurePk: number): string => `${vocabularyTable(structurePk)}_parts`

/** The column of a field's values: TEXT, REAL for numbers, INTEGER 0 or 1 for booleans; NULL without a value. */
export const valueColumn = (column: number): string => `f${column}`

/**
 * For text and select fields, the column of the folded text where it differs from the text as written; for numbers,
 * of their JSON text where the number is not a safe integer; otherwise NULL.
 */
export const companionColumn = (column: number): string => `g${column}`

/** The text folded, so that case is ignored; searching and sorting use it. */
export const foldedText = (column: number): string =>
  `coalesce(${companionColumn(column)}, ${valueColumn(column)})`

/** A number as JSON writes it. */
export const numberText = (column: number): string =>
  `coalesce(${companionColumn(column)}, CAST(CAST(${valueColumn(column)} AS INTEGER) AS TEXT))`
