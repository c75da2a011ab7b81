import { type Caller, wholeWorkspace } from '../../context.ts'
import { type FieldType, rulesOf, valueTypeOf } from '../../filter/record/field-types.ts'
import { type Headings, headingsOf } from '../../lib/field-headings.ts'
import { fold } from '../../lib/text.ts'
import { outgoingLinks } from '../../notes/links/note-links.ts'
import { loadNotes, type NoteRow } from '../../notes/store.ts'
import { readProperties } from '../../notes/writing/properties.ts'
import { exportTags } from '../../objects/tags.ts'
import { rollupType, rollupValues } from '../../records/rows/query/rollups.ts'
import {
  definitionOf,
  type FieldDefinition,
  listStructureRows,
  type StructureRow,
} from '../../records/structures/store.ts'
import type { Reader } from '../../storage/reader.ts'
import { liveRows, valueColumn } from '../../storage/row-table-names.ts'
import { inOneSnapshot, withNewFile, writeWholeFile } from '../new-files.ts'

/*
 * A workspace as tables with plain columns, for programs that read tables: one per structure, and `notes`, `tags`,
 * `note_tags` and `links`. The trash and deleted rows are omitted.
 */

/** A bool is 0 or 1, a day counts the days since 1970, a time counts milliseconds; an integer has 32 bits, a long 64. */
export type ColumnType = 'text' | 'integer' | 'long' | 'number' | 'bool' | 'day' | 'time'
export type Cell = string | number | null

export interface Column {
  readonly name: string
  readonly type: ColumnType
}

export interface ExportedTable {
  readonly name: string
  /** A column named `id` is the primary key. */
  readonly columns: readonly Column[]
  /** In chunks. */
  rows(): Iterable<Cell[][]>
  /** The statement that selects all rows, if there is one, with days and times in the format of the API. */
  readonly select?: string
}

const columnsOf = (columns: Readonly<Record<string, ColumnType>>): Column[] =>
  Object.entries(columns).map(([name, type]) => ({ name, type }))

const TIMES = { created_at: 'time', updated_at: 'time' } as const

const NOTES = {
  id: 'text',
  title: 'text',
  content: 'text',
  alias: 'text',
  pinned: 'bool',
  pin_label: 'text',
  cover_url: 'text',
  /** JSON. */
  properties: 'text',
  ...TIMES,
} as const

/** Whether any active note has further aliases; only then are they a column, of JSON. */
const hasAliases = ({ sql }: Reader, { workspacePk }: Caller): boolean =>
  sql.get(
    'SELECT 1 FROM notes WHERE workspace = ? AND aliases IS NOT NULL AND deleted_at IS NULL LIMIT 1',
    workspacePk,
  ) !== undefined

/** Yields one note at a time, because notes may be long. */
function* activeNotes(reader: Reader, { workspacePk }: Caller): Generator<NoteRow> {
  const active = 'SELECT pk FROM notes WHERE workspace = ? AND deleted_at IS NULL ORDER BY created_at, id'
  for (const pk of reader.sql.column<number>(active, workspacePk)) yield* loadNotes(reader, [pk])
}

function notesTable(reader: Reader, caller: Caller): ExportedTable {
  const withAliases = hasAliases(reader, caller)
  function* rows(): Generator<Cell[][]> {
    for (const row of activeNotes(reader, caller)) {
      const { id, title, content, alias, aliases, pinned, pinLabel, coverUrl, createdAt, updatedAt } = row
      const properties = JSON.stringify(readProperties(reader, row.pk))
      const cells = [id, title, content, alias, pinned, pinLabel, coverUrl, properties, createdAt, updatedAt]
      yield [withAliases ? [...cells, aliases] : cells]
    }
  }
  return { name: 'notes', columns: columnsOf({ ...NOTES, ...(withAliases && { aliases: 'text' }) }), rows }
}

const tagRows = (reader: Reader, caller: Caller): Cell[][] =>
  exportTags(reader, caller).map(({ id, name, color, is_pinned }) => [id, name, color, Number(is_pinned)])

function* linkRows(reader: Reader, caller: Caller): Generator<Cell[][]> {
  for (const from of activeNotes(reader, caller))
    yield outgoingLinks(reader, caller.workspacePk, from).map(({ note, text }) => [
      from.id,
      note?.id ?? null,
      text,
    ])
}

function* noteTagRows({ sql }: Reader, { workspacePk }: Caller): Generator<Cell[][]> {
  const carried = `SELECT n.id, nt.tag FROM notes n CROSS JOIN note_tags nt ON nt.note = n.pk
    WHERE n.workspace = ? AND n.deleted_at IS NULL
      AND nt.tag IN (SELECT id FROM tags WHERE workspace = n.workspace)
    ORDER BY n.created_at, n.id, nt.tag`
  for (const { id, tag } of sql.each<{ id: string; tag: number }>(carried, workspacePk)) yield [[id, tag]]
}

/** Stored texts as numbers. */
const NUMBERS: Partial<Record<FieldType, (text: string) => string>> = {
  date: (text) => `unixepoch(${text}) / 86400`,
  datetime: (text) => `CAST(round(unixepoch(${text}, 'subsec') * 1000) AS INTEGER)`,
}

/** Milliseconds as the API writes a time. */
const isoText = (milliseconds: string) =>
  `replace(datetime(${milliseconds} / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z'`

/** The stored form of bound days and times. */
const PARAMETERS: Partial<Record<ColumnType, string>> = {
  day: "date(? * 86400, 'unixepoch')",
  time: isoText('?'),
}

const CHUNK_ROWS = 1_000
const DAY_MS = 86_400_000

const MAX_INTEGER = 2 ** 31 - 1

/**
 * The types of the columns of a structure. A field of numbers is an integer if it has values and all are whole, and no
 * double rounds them.
 */
function columnTypes(
  reader: Reader,
  caller: Caller,
  row: StructureRow,
  fields: readonly FieldDefinition[],
): ColumnType[] {
  const { sql } = reader
  const types: ColumnType[] = fields.map((field) => {
    const type = field.rollup && rollupType(reader, caller, field)
    return rulesOf(type === undefined ? field : { type }).exported
  })
  const numbers = fields.filter(({ rollup }, at) => types[at] === 'number' && !rollup)
  if (numbers.length === 0) return types
  const facts = numbers.map(({ column }) => {
    const value = valueColumn(column)
    return `max(abs(${value})), max(${value} <> round(${value}))`
  })
  const [found = []] = sql.rows<(number | null)[]>(`SELECT ${facts.join(', ')} FROM ${liveRows(row)}`)
  return fields.map((field, at) => {
    const place = numbers.indexOf(field)
    const [largest, hasFraction] = place < 0 ? [] : found.slice(2 * place)
    if (typeof largest !== 'number' || hasFraction !== 0 || !Number.isSafeInteger(largest))
      return types[at] ?? 'text'
    return largest > MAX_INTEGER ? 'long' : 'integer'
  })
}

/** Reads rows from the structure's row table, which needs no JSON. Roll-ups are not stored there. */
function structureTable(
  reader: Reader,
  caller: Caller,
  name: string,
  row: StructureRow,
  headings: Headings,
): ExportedTable {
  const { sql } = reader
  const { fields, rollups } = definitionOf(row)
  const types = columnTypes(reader, caller, row, fields)
  const columns = headingsOf(fields, headings).map((heading, at) => ({
    name: heading,
    type: types[at] ?? 'text',
  }))
  const times = ['t.created_at', 't.updated_at']
  const texts = fields.map(({ column, multiple, rollup }) => {
    if (rollup) return 'NULL'
    const value = `t.${valueColumn(column)}`
    return multiple ? `json(${value})` : value
  })
  const numbers = fields.map((field, at) => NUMBERS[valueTypeOf(field)]?.(texts[at] ?? '') ?? texts[at])
  /** Adds the values of the roll-ups to a chunk of rows, between their ids and pks. */
  const complete = (rows: Cell[][]): Cell[][] => {
    if (rollups.length === 0) return rows
    const values = rollupValues(
      reader,
      caller,
      row,
      rows.map(([id]) => String(id)),
    )
    return rows.map((cells) =>
      cells.slice(0, -1).map((cell, at) => {
        const field = fields[at - 1]
        const value = field && values.get(field.key)?.(String(cells[0]))
        return value === undefined ? cell : cellOf(types[at - 1], value)
      }),
    )
  }
  const selected = (cells: readonly unknown[]) =>
    `SELECT r.id, ${cells.join(', ')} FROM ${liveRows(row)} t CROSS JOIN records r ON r.pk = t.pk`
  return {
    name,
    columns: [{ name: 'id', type: 'text' }, ...columns, ...columnsOf(TIMES)],
    ...(rollups.length === 0 && {
      select: `${selected([...texts, ...times.map(isoText)])} ORDER BY t.pk`,
    }),
    *rows(): Generator<Cell[][]> {
      const after = `WHERE t.pk > ? ORDER BY t.pk LIMIT ${CHUNK_ROWS}`
      const chunk = `${selected([...numbers, ...times, 't.pk'])} ${after}`
      for (let last = 0; ; ) {
        const rows = sql.rows<Cell[]>(chunk, last)
        if (rows.length === 0) return
        last = Number(rows.at(-1)?.at(-1))
        yield complete(rows)
      }
    },
  }
}

/** The value of a roll-up in the format of its column. */
const cellOf = (type: ColumnType | undefined, value: Cell): Cell => {
  if (typeof value !== 'string') return value
  return type === 'day' ? Date.parse(value) / DAY_MS : Date.parse(value)
}

/** The names of tables, from their structures. A name that is taken or reserved for SQLite gets a number. */
function tableNames(structures: readonly StructureRow[], taken: readonly string[]): string[] {
  const used = new Set([...taken, ...structures.map(({ name }) => fold(name))])
  return structures.map(({ name }) => {
    const isReserved = fold(name).startsWith('sqlite_')
    if (!taken.includes(fold(name)) && !isReserved) return name
    const base = isReserved ? `_${name}` : name
    let other = base
    for (let number = 2; used.has(fold(other)); number++) other = `${base}_${number}`
    used.add(fold(other))
    return other
  })
}

/** The tables of a workspace; their rows are read during iteration. */
export function exportedTables(reader: Reader, caller: Caller, headings: Headings): ExportedTable[] {
  const own: ExportedTable[] = [
    notesTable(reader, caller),
    {
      name: 'tags',
      columns: columnsOf({ id: 'integer', name: 'text', color: 'text', is_pinned: 'bool' }),
      rows: () => [tagRows(reader, caller)],
    },
    {
      name: 'note_tags',
      columns: columnsOf({ note_id: 'text', tag_id: 'integer' }),
      rows: () => noteTagRows(reader, caller),
    },
    {
      name: 'links',
      columns: columnsOf({ from_note_id: 'text', to_note_id: 'text', text: 'text' }),
      rows: () => linkRows(reader, caller),
    },
  ]
  const structures = listStructureRows(reader, wholeWorkspace(caller.workspacePk))
  const names = tableNames(
    structures,
    own.map(({ name }) => name),
  )
  return [
    ...own,
    ...structures.map((row, at) => structureTable(reader, caller, names[at] ?? row.name, row, headings)),
  ]
}

const DECLARED_TYPES: Record<ColumnType, string> = {
  text: 'TEXT',
  integer: 'INTEGER',
  long: 'INTEGER',
  number: 'REAL',
  bool: 'INTEGER',
  day: 'TEXT',
  time: 'TEXT',
}

/** The name under which the new database is attached. */
const TARGET = 'exported'

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const declared = ({ name, type }: Column) =>
  `${quoted(name)} ${DECLARED_TYPES[type]}${name === 'id' ? ' PRIMARY KEY NOT NULL' : ''}`

/** Returns the number of rows. */
function writeTable({ sql }: Reader, { name, columns, rows, select }: ExportedTable): number {
  const table = `${TARGET}.${quoted(name)}`
  sql.script(`CREATE TABLE ${table} (${columns.map(declared).join(', ')})`)
  if (select !== undefined) return sql.run(`INSERT INTO ${table} ${select}`).changes
  const cells = columns.map(({ type }) => PARAMETERS[type] ?? '?')
  const insert = `INSERT INTO ${table} VALUES (${cells.join(', ')})`
  let count = 0
  for (const chunk of rows()) for (const row of chunk) count += sql.run(insert, ...row).changes
  return count
}

/** Writes one consistent snapshot of the workspace into a new SQLite database. Returns row counts by table. */
export const exportSqlite = (
  reader: Reader,
  caller: Caller,
  file: string,
  headings: Headings,
): Record<string, number> =>
  writeWholeFile(file, (unfinished) => {
    const { sql } = reader
    // SQLite accepts an empty file as a database.
    withNewFile(unfinished, () => {})
    sql.run(`ATTACH ? AS ${TARGET}`, unfinished)
    try {
      // An unfinished file is removed, so it needs no rollback.
      sql.script(`PRAGMA ${TARGET}.journal_mode = OFF`)
      sql.script(`PRAGMA ${TARGET}.synchronous = OFF`)
      return inOneSnapshot(reader, () =>
        Object.fromEntries(
          exportedTables(reader, caller, headings).map((table) => [table.name, writeTable(reader, table)]),
        ),
      )
    } finally {
      sql.finalize()
      sql.script(`DETACH ${TARGET}`)
    }
  })
