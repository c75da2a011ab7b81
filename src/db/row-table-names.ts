import type { Reader } from './reader.ts'

/*
 * The names of the tables and columns of a structure. They are built from numbers only, never from user input; besides
 * constants, nothing else is ever inserted into SQL text.
 */

/** Where the live rows of a structure are. */
export interface RowPlace {
  /** The pk of the structure. */
  readonly pk: number
  /** 0 while they are in the table that small structures share (`structures/storage/live-rows.ts`). */
  readonly ownTable: number
}

/** The table of the live rows of a structure that has one for itself. */
export const rowTable = (structurePk: number): string => `rows_${structurePk}`

/** The live rows of all structures that have no table for themselves. */
export const SMALL_ROWS = 'small_rows'

/** The live rows of a structure, for `FROM`: its table, or its part of the shared one with the same columns. */
export const liveRows = ({ pk, ownTable }: RowPlace): string =>
  ownTable > 0 ? rowTable(pk) : `(SELECT * FROM ${SMALL_ROWS} WHERE structure = ${pk})`

/** The same as `live`, for a statement that finds rows by their pks, or goes through all in the order of pks. */
export const liveRowsByPk = (place: RowPlace): string =>
  `${liveRows(place)} AS live${place.ownTable > 0 ? ' NOT INDEXED' : ''}`

/** Where the rows of a structure are; of one that is gone, nowhere. */
export const placeOf = ({ sql }: Reader, structurePk: number): RowPlace => ({
  pk: structurePk,
  ownTable:
    sql.column<number>('SELECT own_table FROM structure_stats WHERE structure = ?', structurePk)[0] ?? 0,
})

/** The table of the structure's text index; not every structure has one. */
export const textIndexTable = (structurePk: number): string => `${rowTable(structurePk)}_text`

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
