import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../../context.ts'
import { checkAbility, may } from '../../../kernel/caller.ts'
import { write } from '../../../kernel/operation.ts'
import type { RecordData } from '../../../lib/record-data.ts'
import { invalid, namingPlace, Refusal } from '../../../lib/refusal.ts'
import { logCreated } from '../../../log/outbox.ts'
import type { Reader } from '../../../storage/reader.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { findAnyLiveRow, findHolders } from '../../structures/storage/live-rows.ts'
import { getStructure } from '../../structures/store.ts'
import { writtenResponse } from '../present.ts'
import type { WriteBody } from '../schema.ts'
import * as store from '../store.ts'
import {
  checkedChanges,
  type FieldChanges,
  membersIn,
  mergedData,
  refuseBrokenReferences,
  refuseMissing,
} from './field-values.ts'
import {
  deleteRow,
  duplicate,
  insertRows,
  isFull,
  namingHolder,
  newRow,
  type RowWriter,
  refuseFull,
  refuseImmutable,
  rowWriter,
  updateRow,
} from './row-writer.ts'

type SentData = Record<string, unknown>

export type WriteRequest = Static<typeof WriteBody>

/** Returns the structure; refuses callers without permission for this write. */
const checkWriter = (reader: Reader, caller: Caller, { structure, on_conflict }: WriteRequest) =>
  getStructure(reader, caller, structure, on_conflict === 'update' ? 'change' : 'add')

/** Refuses a body unless it has exactly one of `data` and `rows`. */
function checkedWrite(request: WriteRequest): WriteRequest {
  if ((request.data === undefined) !== (request.rows === undefined)) return request
  throw invalid('Give exactly one of "data", one row, and "rows", several.')
}

/** Writes one row or a batch; the output is the body of the response. */
export const writeRows = write({
  name: 'records.write',
  covers: 'structures',
  run: (tx, caller, { body }: { body: WriteRequest }) =>
    writtenResponse(writeRecords(tx, caller, checkedWrite(body))),
  check: (tx, caller, { body }) => void (caller.rights && checkWriter(tx, caller, checkedWrite(body))),
})

export interface Written {
  /** The rows after the whole call, in the order sent. */
  rows: store.RecordRow[]
  inserted: number
  updated: number
}

/** A row that a call has written or is about to insert, with its number in the call. */
interface SentRow extends store.RowVersion {
  readonly number: number
}

/** The rows that a call has written so far. */
interface Batch {
  readonly names: RowNames
  /** Whether the call sent a list of rows; its refusals then name the row. */
  readonly isList: boolean
  readonly rows: Pick<SentRow, 'row' | 'number'>[]
  /** The last rows: checked, and still to be inserted together. */
  readonly pending: SentRow[]
  /** The latest state of updated rows, by pk. */
  readonly updated: Map<number, store.RecordRow>
  /** References known to exist. */
  readonly references: Set<string>
  inserted: number
}

const newBatch = (names = FROM_ONE, isList = false): Batch => ({
  ...{ names, isList, inserted: 0 },
  ...{ rows: [], pending: [], updated: new Map(), references: new Set() },
})

/** How refusals name the rows of a call: a noun, such as "Row", and the number of the row at an index. */
export interface RowNames {
  readonly noun: string
  readonly numberOf: (index: number) => number
}

const FROM_ONE: RowNames = { noun: 'Row', numberOf: (index) => index + 1 }

interface LinesRequest extends WriteRequest {
  /** The numbers of the lines that the rows were read from. */
  readonly numbers: readonly number[]
}

/** Writes rows that were read from lines. Refusals name the line. */
export const writeLines = write({
  name: 'records.writeLines',
  covers: 'structures',
  run: (tx, caller, { numbers, ...request }: LinesRequest) => {
    const numberOf = (index: number) => numbers[index] ?? index + 1
    const { inserted, updated } = writeRecords(tx, caller, request, { noun: 'Line', numberOf })
    return { inserted, updated }
  },
})

/**
 * Writes one row or a batch, all or nothing; joins the caller's transaction. In a batch, every refusal names the row by
 * its number, counted from 1 or as `names` defines.
 */
export function writeRecords(tx: Tx, caller: Caller, request: WriteRequest, names = FROM_ONE): Written {
  const structure = checkWriter(tx, caller, request)
  const writer = rowWriter(tx, caller, structure)
  const sent = request.rows?.map(({ data }) => data) ?? [request.data ?? {}]
  const updates = request.on_conflict === 'update'
  if (updates) refuseImmutable(structure)
  if (request.rows) refuseLongUnique(writer, sent)
  if (structure.maxRows === 1) deleteOnlyRow(writer, sent.length)
  const batch = newBatch(names, request.rows !== undefined)
  for (const [at, data] of sent.entries()) {
    // The decision for this row may depend on earlier rows.
    if (updates || isFull(structure)) insertPending(writer, batch)
    const number = names.numberOf(at)
    try {
      named(batch, number, () => writeRow(writer, batch, data, number, updates))
    } catch (error) {
      // The insertion may refuse an earlier row, and that refusal takes precedence.
      if (error instanceof Refusal) insertPending(writer, batch)
      throw error
    }
  }
  insertPending(writer, batch)
  logCreated(writer)
  return {
    rows: batch.rows.map(({ row }) => batch.updated.get(row.pk) ?? row),
    inserted: batch.inserted,
    updated: sent.length - batch.inserted,
  }
}

/** Runs an action on a row of the call. For a list, its refusal names the row. */
const named = <Result>({ names: { noun }, isList }: Batch, number: number, action: () => Result): Result =>
  isList ? namingPlace(`${noun} ${number}`, `rows[${number - 1}]`, action) : action()

/** Inserts the pending rows; refuses the first one that collides. */
function insertPending(writer: RowWriter, batch: Batch): void {
  const rows = batch.pending.splice(0)
  if (rows.length === 0) return
  namingHolder(
    () => insertRows(writer, rows),
    () => {
      for (const sent of rows) named(batch, sent.number, () => refuseDuplicate(writer, batch, sent))
    },
  )
  batch.inserted += rows.length
}

/** In characters. Writing entries of this length takes about a tenth of a second and blocks other writes. */
const MAX_UNIQUE_LENGTH = 16 * 1024 * 1024

/**
 * The index of every unique set holds the values of its fields. Long texts in many sets would therefore be too much.
 */
function refuseLongUnique({ definition }: RowWriter, rows: readonly SentData[]): void {
  if (definition.uniqueSets.length < 2) return
  const keys = definition.uniqueSets.flatMap((set) => set.map(({ key }) => key))
  let length = 0
  for (const row of rows) {
    for (const key of keys) {
      const value = row[key]
      if (typeof value === 'string') length += value.length
    }
  }
  if (length <= MAX_UNIQUE_LENGTH) return
  throw invalid(
    'The values of unique fields in these rows, each counted in every set, are longer than 16,777,216 characters; send fewer rows at once.',
  )
}

/** Under `max_rows: 1`, a write replaces the existing row. */
function deleteOnlyRow(writer: RowWriter, rows: number): void {
  const { tx, caller, structure } = writer
  if (rows > 1) {
    throw new Refusal(
      'max_rows_reached',
      `"${structure.name}" holds one row, which a write replaces, and ${rows} rows were sent; send one.`,
    )
  }
  const pk = findAnyLiveRow(tx, structure)
  if (pk === undefined) return
  checkAbility(caller.rights, structure, 'change')
  deleteRow(writer, getRecord(writer, pk))
}

function getRecord({ tx }: RowWriter, pk: number): store.RecordRow {
  const row = store.findRecordByPk(tx, pk)
  if (!row) throw new Error('a live row has no record')
  return row
}

function writeRow(writer: RowWriter, batch: Batch, sent: SentData, number: number, updates: boolean): void {
  const { tx, caller, definition } = writer
  const changes = checkedChanges(definition, sent)
  const [holder, other] = updates ? holdersOf(writer, changes) : []
  const members = holder && membersIn(definition, holder)
  refuseBrokenReferences(tx, caller, definition, changes, batch.references, members)
  if (holder && other) throw duplicateOfTwo(holder, other)
  if (holder) {
    const row = updateRow(writer, holder, changes)
    batch.rows.push({ row, number })
    batch.updated.set(row.pk, row)
  } else addPending(writer, batch, { changes, number })
}

/** The rows with the same unique values. */
function holdersOf(writer: RowWriter, changes: FieldChanges): store.RecordRow[] {
  const { tx, structure, definition } = writer
  const holders = findHolders(tx, structure, definition, mergedData(definition, {}, changes))
  return Array.from(new Set(holders.map(({ pk }) => pk)), (pk) => getRecord(writer, pk))
}

const duplicateOfTwo = (one: store.RecordRow, other: store.RecordRow): Refusal =>
  new Refusal(
    'unique_violation',
    `This row collides with two different rows, ${one.id} and ${other.id}, and can update only one; send unique values of one of them alone.`,
  )

interface NewRowChanges {
  readonly changes: FieldChanges
  readonly number: number
  /** Chosen by the caller. */
  readonly id?: string
}

/** Checks a new row; `insertPending` inserts it. */
function addPending(writer: RowWriter, batch: Batch, { changes, number, id }: NewRowChanges): void {
  const { structure, definition } = writer
  const data = mergedData(definition, {}, changes)
  refuseMissing(definition, data)
  if (isFull(structure)) refuseDuplicate(writer, batch, { data })
  refuseFull(structure)
  const sent = { row: newRow(writer, data, id), data, number }
  batch.pending.push(sent)
  batch.rows.push(sent)
}

export interface NewRow {
  readonly id: string
  readonly data: SentData
  /** The number of rows that this call has already inserted into the structure. */
  readonly earlier: number
}

/**
 * Inserts a row under an id chosen by its caller, with the checks of any new row; `checkReferences` may defer the
 * reference check. The caller must log it (`logCreated`).
 */
export function insertUnder(
  writer: RowWriter,
  { id, data, earlier }: NewRow,
  checkReferences: typeof refuseBrokenReferences,
): void {
  const { tx, caller, structure, definition } = writer
  if (structure.maxRows === 1) deleteOnlyRow(writer, 1 + earlier)
  const batch = newBatch()
  const changes = checkedChanges(definition, data)
  checkReferences(tx, caller, definition, changes)
  addPending(writer, batch, { changes, number: 1, id })
  insertPending(writer, batch)
}

/**
 * Refuses a row whose unique values another row has. An earlier row of the call is named by its number, because its id
 * is not committed yet.
 */
function refuseDuplicate(
  writer: RowWriter,
  batch: Batch,
  { row, data }: Partial<SentRow> & { data: RecordData },
) {
  const { tx, structure, definition } = writer
  const holder = findHolders(tx, structure, definition, data).find(({ pk }) => pk !== row?.pk)
  if (holder) throw duplicate(holder.set, holderName(writer, batch, holder.pk))
}

/** Does not identify the row to callers who may not read it. */
function holderName({ tx, caller, structure }: RowWriter, { names, rows }: Batch, pk: number): string {
  const earlier = rows.find(({ row }) => row.pk === pk)
  if (earlier) return `${names.noun.toLowerCase()} ${earlier.number} of this call`
  return may(caller.rights, structure.id, 'read') ? `the record ${store.findRecordId(tx, pk)}` : 'another row'
}
