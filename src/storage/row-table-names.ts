import type { Reader } from './reader.ts'

/*
 * The names of the tables and columns of a structure. They are built only from numbers, never from user input, and
 * are the only non-constant parts of SQL texts.
 */

/** The location of the live rows of a structure. */
export interface RowPlace {
  /** The pk of the structure. */
  readonly pk: number
  /** 0 while they are in the table that small structures share (`records/structures/storage/live-rows.ts`). */
  readonly ownTable: number
}

/** The own table of a structure with live rows of its own. */
export const rowTable = (structurePk: number): string => `rows_${structurePk}`

/** The shared table of the live rows of small structures. */
export const SMALL_ROWS = 'small_rows'

/** The live rows of a structure, for `FROM`: its own table, or its part of the shared one with the same columns. */
export const liveRows = ({ pk, ownTable }: RowPlace): string =>
  ownTable > 0 ? rowTable(pk) : `(SELECT * FROM ${SMALL_ROWS} WHERE structure = ${pk})`

/** Like `liveRows`, for statements that look up rows by pk, or scan them all in the order of pks. */
export const liveRowsByPk = (place: RowPlace): string =>
  `${liveRows(place)} AS live${place.ownTable > 0 ? ' NOT INDEXED' : ''}`

/** The location of a structure's rows; an unknown structure has none. */
export const placeOf = ({ sql }: Reader, structurePk: number): RowPlace => ({
  pk: structurePk,
  ownTable:
    sql.column<number>('SELECT own_table FROM structure_stats WHERE structure = ?', structurePk)[0] ?? 0,
})

/** The table of the structure's text index; not every structure has one. */
export const textIndexTable = (structurePk: number): string => `${rowTable(structurePk)}_text`

/**
 * The column of a field's values: TEXT, REAL for numbers, INTEGER 0 or 1 for booleans; NULL without a value. Several
 * values are a JSON array with one value per line (`filter/record/values.ts`).
 */
export const valueColumn = (column: number): string => `f${column}`

/**
 * For text and select fields, the column with the folded text where it differs from the value; for numbers that are
 * not safe integers, their JSON text; otherwise NULL.
 */
export const companionColumn = (column: number): string => `g${column}`

/** The case-folded text, which searching and sorting use. */
export const foldedText = (column: number): string =>
  `coalesce(${companionColumn(column)}, ${valueColumn(column)})`

/** A number as written in JSON. */
export const numberText = (column: number): string =>
  `coalesce(${companionColumn(column)}, CAST(CAST(${valueColumn(column)} AS INTEGER) AS TEXT))`
