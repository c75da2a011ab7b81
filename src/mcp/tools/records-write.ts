import { type Static, Type } from '@sinclair/typebox'
import { transactionCursor } from '../../changes/cursors.ts'
import { expectedInstant } from '../../changes/if-unchanged.ts'
import type { Caller } from '../../context.ts'
import type { WorkerTask, WriteListeners } from '../../db/worker/client.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { choice, strict } from '../../http/schema/types.ts'
import { recordJson } from '../../records/present.ts'
import { findRecordHead, type RecordRow } from '../../records/store.ts'
import { changeLive } from '../../records/writing/one-record.ts'
import { writeRecords } from '../../records/writing/write-records.ts'
import { fail, invalid, namingPlace, notFound, refused } from '../../refusal.ts'
import { getStructure, type StructureRow } from '../../structures/store.ts'
import { dryRun, ifUnchanged, list, name, optional, output, transaction, values } from '../schema.ts'
import { fitted, isShortened, shortenEach } from '../text/fit.ts'
import { count, writtenAs } from '../text/markdown.ts'
import { type Answer, parsedBody, tool } from '../tool.ts'

const MAX_ROWS = 100

const Row = strict({ id: optional(Type.String()), data: values(), if_unchanged: ifUnchanged() })

const WriteInput = strict({
  structure: name(),
  rows: Type.Array(Row, { minItems: 1, maxItems: MAX_ROWS }),
  on_conflict: optional(choice(['refuse', 'update'])),
  dry_run: dryRun(),
})
type Input = Static<typeof WriteInput>

/** A row with its number in the call, counted from 1. */
type Numbered = Static<typeof Row> & { readonly number: number }

interface Written {
  readonly rows: readonly RecordRow[]
  readonly inserted: number
  readonly updated: number
  readonly transaction: string | null
}

/** A value that was shortened when it was read would take the place of the whole. */
function refuseShortened(rows: Input['rows']): void {
  for (const [at, { data }] of rows.entries()) {
    const key = Object.keys(data).find((one) => isShortened(data[one]))
    if (key === undefined) continue
    throw refused(
      `Row ${at + 1}: "${key}" is a value that was shortened when it was read; read it whole, or leave the field out.`,
    )
  }
}

function update(
  listeners: WriteListeners,
  tx: Tx,
  caller: Caller,
  structure: StructureRow,
  row: Numbered,
): RecordRow {
  const id = row.id ?? ''
  const found = findRecordHead(tx, id)
  if (found?.structure !== structure.pk) throw notFound('record')
  return changeLive(listeners, tx, caller, id, row.data, expectedInstant(row.if_unchanged))
}

/** Updates come before new rows, which may then have the unique values that an update has removed. */
function write(
  listeners: WriteListeners,
  tx: Tx,
  caller: Caller,
  { structure: named, rows, on_conflict }: Input,
): Written {
  const structure = getStructure(tx, caller, named, 'add')
  const numbered = rows.map((row, at): Numbered => ({ ...row, number: at + 1 }))
  const results = new Map<number, RecordRow>()
  for (const row of numbered) {
    if (row.id === undefined) continue
    results.set(
      row.number,
      namingPlace(`Row ${row.number}`, () => update(listeners, tx, caller, structure, row)),
    )
  }
  const added = numbered.filter(({ id }) => id === undefined)
  const request = { structure: structure.id, rows: added.map(({ data }) => ({ data })), on_conflict }
  const outcome =
    added.length === 0
      ? { rows: [], inserted: 0, updated: 0 }
      : writeRecords(listeners, tx, caller, request, (at) => added[at]?.number ?? at + 1)
  for (const [at, row] of outcome.rows.entries()) results.set(added[at]?.number ?? 0, row)
  return {
    rows: numbered.map(({ number }) => results.get(number) ?? fail(notFound('record'))),
    inserted: outcome.inserted,
    updated: outcome.updated + results.size - added.length,
    transaction: transactionCursor(tx, caller.workspacePk),
  }
}

function present(outcome: Written, { dry_run: isDryRun = false, rows }: Input): Answer {
  const { inserted, updated } = outcome
  const records = outcome.rows.map((row) => parsedBody<Record<string, unknown>>(recordJson(row)))
  const id = isDryRun ? null : outcome.transaction
  return fitted(records, (items, cut) => ({
    text: [
      `${count(inserted, 'row')} inserted, ${updated} updated; ${writtenAs(id, isDryRun)}`,
      ...(isDryRun ? [] : items.map(({ id: row, updated_at }) => `- ${row} updated_at ${updated_at}`)),
      ...(items.length < records.length ? [`and ${records.length - items.length} more`] : []),
    ].join('\n'),
    data: {
      written: rows.length,
      inserted,
      updated,
      records: shortenEach(items, cut),
      transaction: id,
    },
  }))
}

export const mcpRowsWrite: WorkerTask<{ readonly caller: Caller; readonly sent: Input }, Written> = {
  name: 'mcp.writeRecords',
  run: (tx, { caller, sent }, listeners) => write(listeners, tx, caller, sent),
}

export const writeRecordsTool = tool({
  name: 'write_records',
  covers: 'structures',
  description:
    'Write rows, all or none; with id a row is updated: only the fields sent, null clears. on_conflict update: a row with a unique value that is taken updates the row that has it.',
  writes: true,
  input: WriteInput,
  output: output({
    written: Type.Integer(),
    inserted: Type.Integer(),
    updated: Type.Integer(),
    records: list(),
    transaction: transaction(),
  }),
  run: async (ctx, { signal: _, ...caller }, input) => {
    const { rows, dry_run: isDryRun } = input
    const stray = rows.findIndex((row) => row.if_unchanged !== undefined && row.id === undefined)
    if (stray !== -1) throw invalid(`"rows[${stray}].if_unchanged" goes with "id", the row to update.`)
    refuseShortened(rows)
    return present(await ctx.worker.write(mcpRowsWrite, { caller, sent: input }, { isDryRun }), input)
  },
})
