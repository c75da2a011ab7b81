import type { Static } from '@sinclair/typebox'
import { checkAbility, may } from '../../access/rights.ts'
import type { RecordData } from '../../changes/record-data.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { WorkerTask, WriteListeners, WriteSize } from '../../db/worker/client.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { countSubscriptions, logCreated } from '../../delivery/outbox.ts'
import { RequestBody } from '../../http/body.ts'
import type { Exchange } from '../../http/exchange.ts'
import { createdResponse, identityOf } from '../../http/idempotency.ts'
import { type Outcome, once, type RequestIdentity, signed } from '../../kernel/once.ts'
import { invalid, namingPlace, Refusal } from '../../refusal.ts'
import { countInserts, findAnyLiveRow, findHolders } from '../../structures/storage/live-rows.ts'
import { definitionOf, findStructure, getStructure } from '../../structures/store.ts'
import { writtenResponse } from '../present.ts'
import type { WriteBody } from '../schema.ts'
import * as store from '../store.ts'
import {
  checkedChanges,
  deleteRow,
  duplicate,
  type FieldChanges,
  insertRow,
  isFull,
  mergedData,
  namingHolder,
  type RowWriter,
  refuseBrokenReferences,
  refuseFull,
  refuseImmutable,
  refuseMissing,
  rowWriter,
  updateRow,
} from './row-writer.ts'

type SentData = Record<string, unknown>

export type WriteRequest = Static<typeof WriteBody>

/** Refuses who may not write this. */
export const checkWriter = (reader: Reader, caller: Caller, { structure, on_conflict }: WriteRequest) =>
  getStructure(reader, caller, structure, on_conflict === 'update' ? 'change' : 'add')

/** Refuses a body that does not have exactly one of `data` and `rows`. */
function checkedWrite(request: WriteRequest): WriteRequest {
  if ((request.data === undefined) !== (request.rows === undefined)) return request
  throw invalid('Give exactly one of "data", one row, and "rows", several.')
}

/**
 * How much a request writes: of a batch also the entries of unique sets, and the deliveries to subscriptions. Undefined
 * where that is not known before: the rows that a batch updates may be very long.
 */
function sizeOf(
  reader: Reader,
  caller: Caller,
  { structure: named, rows, on_conflict }: WriteRequest,
  length: number,
): WriteSize | undefined {
  if (!rows) return { length }
  if (on_conflict === 'update') return undefined
  const structure = findStructure(reader, caller, named)
  const perRow = structure
    ? definitionOf(structure).uniqueSets.length + countSubscriptions(reader, structure)
    : 0
  return { length, items: rows.length * (1 + perRow) }
}

interface RowsInput {
  readonly caller: Caller
  readonly identity: RequestIdentity | undefined
  readonly body: RequestBody<WriteRequest>
}

/** Writes rows, or finds the response to the same request. */
export const rowsWrite: WorkerTask<RowsInput, Outcome> = {
  name: 'record-writes.write',
  run: (tx, { caller, identity, body }, listeners) =>
    once(
      tx,
      signed(identity, body.text),
      (tx) => writtenResponse(writeRecords(listeners, tx, caller, RequestBody.valueOf(body))),
      undefined,
      () => caller.rights && checkWriter(tx, caller, RequestBody.valueOf(body)),
    ),
}

/** Writes rows; with an `Idempotency-Key` once (`http/idempotency.ts`). */
export async function respondToWrite(
  { db, worker }: AppContext,
  caller: Caller,
  exchange: Exchange,
  body: WriteRequest,
): Promise<Response> {
  const wanted = checkedWrite(body)
  const { bodyText } = exchange
  const input = { caller, identity: identityOf(exchange), body: new RequestBody(wanted, bodyText) }
  const size = sizeOf(db, caller, body, bodyText.length)
  const { text, replayed } = await worker.write(rowsWrite, input, { size })
  return createdResponse(text, replayed)
}

export interface Written {
  /** The rows as they are after the whole call, in the order sent. */
  rows: store.RecordRow[]
  inserted: number
  updated: number
}

/** What a call has written so far. */
interface Batch {
  readonly noun: string
  /** Every written row by pk: its latest state, and the number of the row of the call that wrote it first. */
  readonly written: Map<number, { row: store.RecordRow; number: number }>
  readonly order: number[]
  readonly insertedIds: string[]
  /** References that were found to exist. */
  readonly references: Set<string>
}

const newBatch = (noun = FROM_ONE.noun): Batch => ({
  noun,
  written: new Map(),
  order: [],
  insertedIds: [],
  references: new Set(),
})

/** How refusals name the rows of a call: by a noun, such as "Row", and the number of the row at an index. */
export interface RowNames {
  readonly noun: string
  readonly numberOf: (index: number) => number
}

const FROM_ONE: RowNames = { noun: 'Row', numberOf: (index) => index + 1 }

/**
 * Writes one row or a batch, all or nothing; joins the caller's transaction. In a batch every refusal names the row,
 * counted from 1 or as `names` says.
 */
export function writeRecords(
  listeners: WriteListeners,
  tx: Tx,
  caller: Caller,
  request: WriteRequest,
  names = FROM_ONE,
): Written {
  const structure = checkWriter(tx, caller, request)
  const writer = rowWriter(listeners, tx, caller, structure)
  const sent = request.rows?.map(({ data }) => data) ?? [request.data ?? {}]
  const updates = request.on_conflict === 'update'
  if (updates) refuseImmutable(structure)
  if (request.rows) refuseLongUnique(writer, sent)
  if (structure.maxRows === 1) deleteOnlyRow(writer, sent.length)
  const { noun, numberOf } = names
  const batch = newBatch(noun)
  for (const [at, data] of sent.entries()) {
    const number = numberOf(at)
    const write = () => writeRow(writer, batch, data, number, updates)
    if (request.rows) namingPlace(`${noun} ${number}`, `rows[${number - 1}]`, write)
    else write()
  }
  countInserted(writer, batch)
  logCreated(writer)
  return {
    rows: batch.order.flatMap((pk) => batch.written.get(pk)?.row ?? []),
    inserted: batch.insertedIds.length,
    updated: sent.length - batch.insertedIds.length,
  }
}

/** In characters. Writing entries of this length takes about a tenth of a second, while other writes wait. */
const MAX_UNIQUE_LENGTH = 16 * 1024 * 1024

/** The index of every unique set holds the values of its fields: texts that are long and in many sets are too much. */
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

/** Under `max_rows: 1` a write replaces the row that exists. */
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

function writeRow(writer: RowWriter, batch: Batch, sent: SentData, number: number, updates: boolean) {
  const { tx, caller, definition } = writer
  const changes = checkedChanges(definition, sent)
  refuseBrokenReferences(tx, caller, changes, batch.references)
  const row = updates ? updateOrInsert(writer, batch, changes) : insert(writer, batch, changes)
  const earlier = batch.written.get(row.pk)
  batch.written.set(row.pk, { row, number: earlier?.number ?? number })
  batch.order.push(row.pk)
}

/** Updates the row that has the same unique values, if there is one. */
function updateOrInsert(writer: RowWriter, batch: Batch, changes: FieldChanges): store.RecordRow {
  const { tx, structure, definition } = writer
  const data = mergedData(definition, {}, changes)
  const holders = findHolders(tx, structure, definition, data)
  const [first, second] = new Set(holders.map(({ pk }) => pk))
  if (first === undefined) return insert(writer, batch, changes)
  if (second !== undefined) throw duplicateOfTwo(writer, first, second)
  return updateRow(writer, getRecord(writer, first), changes)
}

function duplicateOfTwo({ tx }: RowWriter, first: number, second: number): Refusal {
  const [one, other] = [first, second].map((pk) => store.findRecordId(tx, pk))
  return new Refusal(
    'unique_violation',
    `This row collides with two different rows, ${one} and ${other}, and can update only one; send unique values of one of them alone.`,
  )
}

function insert(writer: RowWriter, batch: Batch, changes: FieldChanges, id?: string): store.RecordRow {
  const { structure, definition } = writer
  const data = mergedData(definition, {}, changes)
  refuseMissing(definition, data)
  const refuseHeld = () => refuseDuplicateInBatch(writer, batch, data)
  if (isFull(structure)) refuseHeld()
  refuseFull(structure)
  const row = namingHolder(() => insertRow(writer, data, id), refuseHeld)
  structure.live += 1
  batch.insertedIds.push(row.id)
  return row
}

export interface NewRow {
  readonly structure: string
  readonly id: string
  readonly data: SentData
  /** How many rows the same call has inserted into the structure before. */
  readonly earlier: (structurePk: number) => number
}

/** Inserts a row under an id that its caller made, checked like any new row; `checkReferences` may put that off. */
export function insertUnder(
  listeners: WriteListeners,
  tx: Tx,
  caller: Caller,
  { structure: named, id, data, earlier }: NewRow,
  checkReferences: typeof refuseBrokenReferences,
): store.RecordRow {
  const structure = getStructure(tx, caller, named, 'add')
  const writer = rowWriter(listeners, tx, caller, structure)
  if (structure.maxRows === 1) deleteOnlyRow(writer, 1 + earlier(structure.pk))
  const batch = newBatch()
  const changes = checkedChanges(writer.definition, data)
  checkReferences(tx, caller, changes)
  const row = insert(writer, batch, changes, id)
  countInserted(writer, batch)
  logCreated(writer)
  return row
}

/** Names an earlier row of the same call by its number instead of its id, which is not committed yet. */
function refuseDuplicateInBatch(writer: RowWriter, batch: Batch, data: RecordData) {
  const { tx, structure, definition } = writer
  const [held] = findHolders(tx, structure, definition, data)
  if (held) throw duplicate(held.set, holderName(writer, batch, held.pk))
}

/** Who may not read the rows is not told which one it is. */
function holderName({ tx, caller, structure }: RowWriter, { noun, written }: Batch, pk: number): string {
  const earlier = written.get(pk)
  if (earlier) return `${noun.toLowerCase()} ${earlier.number} of this call`
  return may(caller.rights, structure.id, 'read') ? `the record ${store.findRecordId(tx, pk)}` : 'another row'
}

function countInserted({ tx, structure }: RowWriter, { insertedIds }: Batch): void {
  const [firstId] = insertedIds
  const lastId = insertedIds.at(-1)
  if (firstId === undefined || lastId === undefined) return
  countInserts(tx, structure.pk, { live: insertedIds.length, createdAt: tx.now, firstId, lastId })
  structure.changes += 1
}
