import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../context.ts'
import type { CellFormat } from '../../filter/record/cell-format.ts'
import { rulesOf, valueTypeOf } from '../../filter/record/field-types.ts'
import { ReadingFinder } from '../../filter/record/readings.ts'
import { long, read, write } from '../../kernel/operation.ts'
import type { FieldValue } from '../../lib/record-data.ts'
import { atPlace, fail, Refusal, refused } from '../../lib/refusal.ts'
import { scanOf } from '../../lib/scan.ts'
import { withCommas } from '../../lib/text.ts'
import type { Reader } from '../../storage/reader.ts'
import { liveRows, type RowPlace, valueColumn } from '../../storage/row-table-names.ts'
import { MAX_FIELDS } from '../structures/schema.ts'
import { changeStructure, checkedPatch, type StructurePatch } from '../structures/service.ts'
import {
  type Definition,
  definitionOf,
  type FieldDefinition,
  getStructure,
  presentField,
  presentStructure,
  type StructureRow,
} from '../structures/store.ts'
import type { ConvertBody } from './schema.ts'
import { dataOf, loadRecords, type RecordRow } from './store.ts'
import {
  checkedChanges,
  type FieldChanges,
  referenceKey,
  refuseBrokenReferences,
  valuesOf,
} from './writing/field-values.ts'
import { refuseImmutable, rowWriter, updateRow } from './writing/row-writer.ts'

/*
 * A conversion adds a field of the new type with every old value that can be read as that type. The old field keeps all
 * its values, hidden.
 */

type Conversion = Static<typeof ConvertBody>

interface ConversionInput {
  readonly nameOrId: string
  readonly body: Conversion
}

const MAX_ROWS = 200_000
const MAX_FAILURES = 200
const ROWS_AT_ONCE = 500

/** Adds the new field and fills it, in one transaction. */
export const convertField = long(
  write({
    name: 'records.convert',
    covers: 'structures',
    run: (tx, caller, { nameOrId, body }: ConversionInput): Converted => {
      const before = convertible(tx, caller, nameOrId)
      const { field, patch } = conversionPatch(before, body)
      const after = changeStructure(tx, caller, before.id, patch)
      const writer = rowWriter(tx, caller, after)
      const counts = readValues(tx, caller, before, writer.definition, field, body, (row, changes) =>
        updateRow(writer, row, changes),
      )
      return { structure: presentStructure(after), ...counts }
    },
  }),
)

/** Returns the outcome of a conversion without writing. It runs as a read, so no write waits for it. */
export const tryConversion = long(
  read({
    name: 'records.tryConversion',
    covers: 'structures',
    run: (snapshot, caller, { nameOrId, body }: ConversionInput): Converted => {
      const before = convertible(snapshot, caller, nameOrId)
      const { field, patch } = conversionPatch(before, body)
      const after = { ...before, ...checkedPatch(snapshot, caller, before, patch).columns }
      const definition = definitionOf(after)
      const counts = readValues(snapshot, caller, before, definition, field, body, () => {})
      return { structure: presentStructure(after), ...counts }
    },
  }),
)

/** Numbers of rows with a value in the new field, with none, and with a value that cannot be read. */
interface Counts {
  readonly converted: number
  readonly empty: number
  readonly failed: number
  readonly failures: { record_id: string; value: FieldValue }[]
}

interface Converted extends Counts {
  readonly structure: ReturnType<typeof presentStructure>
}

function convertible(reader: Reader, caller: Caller, nameOrId: string): StructureRow {
  const structure = getStructure(reader, caller, nameOrId, 'change')
  refuseImmutable(structure)
  if (structure.live <= MAX_ROWS) return structure
  throw refused(
    `"${structure.name}" has ${withCommas(structure.live)} rows, and a conversion changes at most ${withCommas(MAX_ROWS)}; delete or move rows first.`,
  )
}

/** The change of the definition: adds the new field, hides the old one and makes it optional. */
function conversionPatch(
  before: StructureRow,
  { field: from, key, type, options, label, multiple }: Conversion,
): { readonly field: FieldDefinition; readonly patch: StructurePatch } {
  const { fields, byKey } = definitionOf(before)
  const field =
    byKey.get(from) ??
    fail(refused(`"field" names "${from}", and the structure has no such field.`, atPlace('field')))
  if (field.rollup)
    throw refused(
      `"field" names "${from}", a roll-up, whose values are not stored and cannot be converted.`,
      atPlace('field'),
    )
  if (byKey.has(key)) throw refused(`The structure has a field "${key}" already; choose another key.`)
  if (options && type !== 'select')
    throw refused(
      `"options" belong to a field of type "select", and this one becomes "${type}".`,
      atPlace('options'),
    )
  if (fields.length >= MAX_FIELDS)
    throw refused(`The structure has ${MAX_FIELDS} fields, the maximum; it cannot have another.`)
  const added = { key, type, label, ...(options && { options }), ...(multiple && { multiple }) }
  const kept = fields.map((one) =>
    one === field ? { ...presentField(one), hidden: true, required: false } : presentField(one),
  )
  return { field, patch: { fields: [...kept, added] } }
}

/** Converts each value of a field to the new field's type, as an import reads the cells of a column. */
function readValues(
  reader: Reader,
  caller: Caller,
  structure: StructureRow,
  definition: Definition,
  field: FieldDefinition,
  body: Conversion,
  write: (row: RecordRow, changes: FieldChanges) => void,
): Counts {
  const { key: from, type, multiple, column } = field
  const { key } = body
  const to = definition.byKey.get(key)
  if (!to) throw new Error('the new field is missing')
  const format = notationOf(reader, structure, field, to, body)
  const counts = { converted: 0, failed: 0 }
  const failures: Counts['failures'] = []
  const found = new Set<string>()
  const isDay = valueTypeOf(field) === 'datetime' && to.type === 'date'
  const isMember = type === 'user' && to.type === 'user'
  // Texts are split as an import splits them; a choice or a reference is one value, whatever it contains.
  const isSplit = type === 'text' && !multiple
  const sentFor = (value: FieldValue): unknown => {
    if (!to.multiple)
      return format.valueOf(to, isDay ? dayAt(cellOf(from, value)) : cellOf(from, value), true)
    if (typeof value === 'object') return value
    return isSplit ? format.valueOf(to, String(value)) : [String(value)]
  }
  const read = (value: FieldValue): FieldChanges | undefined => {
    const sent = sentFor(value)
    try {
      const changes = checkedChanges(definition, { [key]: sent })
      refuseBrokenReferences(reader, caller, definition, changes, found)
      return changes
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }
  for (const row of rowsWithValue(reader, structure, column)) {
    const value = dataOf(row)[from]
    if (value === undefined || format.isEmpty(String(value))) continue
    // A removed member stays as the id.
    for (const id of isMember ? valuesOf(value) : []) found.add(referenceKey(to, id))
    const changes = read(value)
    if (changes) {
      write(row, changes)
      counts.converted += 1
    } else {
      counts.failed += 1
      if (failures.length < MAX_FAILURES) failures.push({ record_id: row.id, value })
    }
  }
  return { ...counts, empty: structure.live - counts.converted - counts.failed, failures }
}

/** The notation in which the texts of a field are read: as sent, else the one that all of them allow. */
function notationOf(
  { sql }: Reader,
  structure: RowPlace,
  from: FieldDefinition,
  to: FieldDefinition,
  { date_format, decimal }: Conversion,
): CellFormat {
  const options = { dateFormats: date_format === undefined ? [] : [date_format], decimal, nulls: [] }
  const finder = new ReadingFinder(to.type, options, true)
  const column = valueColumn(from.column)
  if (finder.isOpen && rulesOf(from).storage === 'TEXT' && !from.multiple) {
    const cells = sql.column<string>(
      `SELECT ${column} FROM ${liveRows(structure)} WHERE ${scanOf('pk').text} AND ${column} IS NOT NULL`,
    )
    for (const cell of cells) if (cell !== '') finder.add(cell)
  }
  return (
    finder.format() ??
    fail(
      refused(
        `The values of "${from.key}" can be read with the month first or the day first; send "date_format": "mdy" or "dmy".`,
        atPlace('date_format'),
      ),
    )
  )
}

/** The cell with a value that becomes a single one; several values do not. */
function cellOf(field: string, value: FieldValue): string {
  if (typeof value !== 'object') return String(value)
  const [only = '', other] = value
  if (other === undefined) return only
  throw refused(
    `A row has ${value.length} values in "${field}", and the new field would hold one; send "multiple": true.`,
    atPlace('multiple'),
  )
}

const MIDNIGHT = 'T00:00:00.000Z'

/** An instant that begins a day in UTC as that day, which loses nothing; others keep their time. */
const dayAt = (instant: string): string =>
  instant.endsWith(MIDNIGHT) ? instant.slice(0, -MIDNIGHT.length) : instant

/** Rows with a value in a column, in creation order. */
function* rowsWithValue(reader: Reader, structure: RowPlace, column: number): Generator<RecordRow> {
  const { sql } = reader
  const pks = sql.column<number>(
    `SELECT pk FROM ${liveRows(structure)} WHERE ${scanOf('pk').text} AND ${valueColumn(column)} IS NOT NULL ORDER BY pk`,
  )
  for (let at = 0; at < pks.length; at += ROWS_AT_ONCE)
    yield* loadRecords(reader, pks.slice(at, at + ROWS_AT_ONCE))
}
