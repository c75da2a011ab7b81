import type { RecordData } from '../../changes/record-change.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { invalid, Refusal } from '../../refusal.ts'
import type { UniqueSet } from '../../structures/definition.ts'
import { getStructure } from '../../structures/service.ts'
import * as store from '../store.ts'
import { refuseDeadReferences } from './references.ts'
import { changeRow, collision, deleteRow, insertRow } from './rows.ts'
import { moveLive, refuseFull, refuseImmutable, type Target, targetOf } from './target.ts'
import { checkedChanges, type FieldChanges, mergedData, refuseMissing } from './values.ts'

type SentData = Record<string, unknown>

export interface WriteRequest {
  structure: string
  data?: SentData
  rows?: { data: SentData }[]
  on_conflict?: 'refuse' | 'update'
}

/** A body gives exactly one of `data` and `rows`. */
export function checkedWrite(request: WriteRequest): WriteRequest {
  if ((request.data === undefined) !== (request.rows === undefined)) return request
  throw invalid('Give exactly one of "data", one row, and "rows", several.')
}

export interface Written {
  /** As they stand after the whole call, in the order sent. */
  rows: store.RecordRow[]
  inserted: number
  updated: number
}

/** What one call has written so far. */
interface Progress {
  /** Every row written, by pk: its latest state, and which row of the call wrote it first. */
  readonly written: Map<number, { row: store.RecordRow; number: number }>
  readonly order: number[]
  readonly insertedIds: string[]
  /** References that were found alive. */
  readonly references: Set<string>
}

/**
 * Writes one row or a batch, whole or not at all; joins the caller's transaction. In a batch every refusal
 * names the row, counted from 1 (`service.md`, Record rules).
 */
export function writeRecords(
  ctx: Pick<AppContext, 'bus'>,
  tx: Tx,
  caller: Caller,
  request: WriteRequest,
): Written {
  const structure = getStructure(tx, caller, request.structure)
  const target = targetOf(ctx, tx, caller, structure)
  const sent = request.rows?.map(({ data }) => data) ?? [request.data ?? {}]
  const updates = request.on_conflict === 'update'
  if (updates) refuseImmutable(structure)
  if (structure.maxRows === 1) replaceOnlyRow(target, sent.length)
  const progress: Progress = { written: new Map(), order: [], insertedIds: [], references: new Set() }
  for (const [at, data] of sent.entries()) {
    const write = () => writeRow(target, progress, data, at + 1, updates)
    if (request.rows) namingRow(at + 1, write)
    else write()
  }
  countInserted(target, progress)
  return {
    rows: progress.order.flatMap((pk) => progress.written.get(pk)?.row ?? []),
    inserted: progress.insertedIds.length,
    updated: sent.length - progress.insertedIds.length,
  }
}

/** Puts the row's number in front of a refusal. */
function namingRow(number: number, write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(error.code, `Row ${number}: ${error.message}`)
  }
}

/** Under `max_rows: 1` a write takes the row that is there away first. */
function replaceOnlyRow(target: Target, rows: number): void {
  const { tx, structure } = target
  if (rows > 1) {
    throw new Refusal(
      'max_rows_reached',
      `"${structure.name}" holds one row, which a write replaces, and ${rows} rows were sent; send one.`,
    )
  }
  const only = store.findAnyLive(tx, structure.pk)
  if (!only) return
  deleteRow(target, only)
  moveLive(target, -1)
}

function writeRow(target: Target, progress: Progress, sent: SentData, number: number, updates: boolean) {
  const { tx, caller, definition } = target
  const changes = checkedChanges(definition, sent)
  refuseDeadReferences(tx, caller, changes, progress.references)
  const row = updates
    ? updateOrInsert(target, progress, changes)
    : insertChecked(target, progress, changes, false)
  const known = progress.written.get(row.pk)
  progress.written.set(row.pk, { row, number: known?.number ?? number })
  progress.order.push(row.pk)
}

function updateOrInsert(target: Target, progress: Progress, changes: FieldChanges): store.RecordRow {
  const { tx, structure, definition } = target
  const data = mergedData(definition, {}, changes)
  const holders = new Map<number, UniqueSet>()
  for (const set of definition.uniqueSets) {
    const holder = store.findHolder(tx, structure.pk, set, data)
    if (holder !== undefined && !holders.has(holder)) holders.set(holder, set)
  }
  const [first, second] = holders.keys()
  if (first === undefined) return insertChecked(target, progress, changes, true)
  if (second !== undefined) throw collidesWithTwo(target, first, second)
  const row = store.findRecordByPk(tx, first)
  if (!row) throw new Error('a live row has no record')
  return changeRow(target, row, changes)
}

function collidesWithTwo({ tx }: Target, first: number, second: number): Refusal {
  const [one, other] = [first, second].map((pk) => store.findRecordByPk(tx, pk)?.id)
  return new Refusal(
    'unique_violation',
    `This row collides with two different rows, ${one} and ${other}, and can update only one; send unique values of one of them alone.`,
  )
}

/** `free`: the caller has looked already, and no row stands in the way. */
function insertChecked(target: Target, progress: Progress, changes: FieldChanges, free: boolean) {
  const { structure, definition } = target
  const data = mergedData(definition, {}, changes)
  refuseMissing(definition, data)
  if (!free) refuseHeld(target, progress, data)
  refuseFull(structure)
  const row = insertRow(target, data)
  structure.live += 1
  progress.insertedIds.push(row.id)
  return row
}

function refuseHeld({ tx, structure, definition }: Target, progress: Progress, data: RecordData): void {
  for (const set of definition.uniqueSets) {
    const holder = store.findHolder(tx, structure.pk, set, data)
    if (holder === undefined) continue
    const earlier = progress.written.get(holder)
    throw collision(
      set,
      earlier ? `row ${earlier.number} of this call` : `the record ${store.findRecordByPk(tx, holder)?.id}`,
    )
  }
}

function countInserted({ tx, structure }: Target, { insertedIds }: Progress): void {
  const [firstId] = insertedIds
  const lastId = insertedIds.at(-1)
  if (firstId === undefined || lastId === undefined) return
  store.countNew(tx, structure.pk, { live: insertedIds.length, createdAt: tx.now, firstId, lastId })
}
