import { type Static, Type } from '@sinclair/typebox'
import { choice, strict } from '../../../http/schema/types.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { fail, invalid, namingPlace, notFound, refused } from '../../../lib/refusal.ts'
import { quoteList } from '../../../lib/text.ts'
import { transactionCursor } from '../../../log/cursors.ts'
import { expectedInstant } from '../../../log/if-unchanged.ts'
import { recordHistory } from '../../../records/rows/one-record.ts'
import { presentBuckets, recordJson } from '../../../records/rows/present.ts'
import { parseRequest } from '../../../records/rows/query/row-query.ts'
import { summarise } from '../../../records/rows/query/summary.ts'
import type { RecordObject } from '../../../records/rows/schema.ts'
import { findRecordHead, type RecordRow } from '../../../records/rows/store.ts'
import { changeLive } from '../../../records/rows/writing/one-record.ts'
import { RowWriters } from '../../../records/rows/writing/row-writer.ts'
import { writeRecords } from '../../../records/rows/writing/write-records.ts'
import { definitionOf, getStructure, type StructureRow } from '../../../records/structures/store.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import {
  direction,
  dryRun,
  ifUnchanged,
  limit,
  list,
  name,
  offset,
  optional,
  output,
  page,
  recordFilter,
  transaction,
  values,
} from '../schema.ts'
import { fitted, isShortened, shortenAll, shortenEach } from '../text/fit.ts'
import { andMore, count, given, inline, pageLine, table, writtenAs } from '../text/markdown.ts'
import { type Answer, parsedBody, parsedRows, readTool, recordPage, writeTool } from '../tool.ts'
import { actorName, type PresentedVersion, versionLine } from './changes.ts'
import { expandedIn, objectTable, reachedFrom, shortenedObjects } from './expanded.ts'

const USUAL_ROWS = 25
const MAX_ROWS = 500
/** More rows than this never fit into an answer. */
const MOST_SHOWN = 100

const TIMES = ['created_at', 'updated_at'] as const

type PresentedRecord = Static<typeof RecordObject>

/** The fields to show: the requested ones, or else all fields that are not hidden. */
function shownFields(structure: StructureRow, wanted: readonly string[] | undefined): string[] {
  const { fields, byKey } = definitionOf(structure)
  const unknown = wanted?.find((key) => !byKey.has(key) && !TIMES.some((time) => time === key))
  if (unknown !== undefined)
    throw refused(
      `"fields" names "${unknown}", which "${structure.name}" does not have; its fields are ${quoteList(fields.map(({ key }) => key))}.`,
    )
  return wanted ? [...wanted] : fields.filter(({ hidden }) => !hidden).map(({ key }) => key)
}

const only = (data: Record<string, unknown>, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(data).filter(([key]) => keys.includes(key)))

const filterText = (filter: readonly object[] | undefined) =>
  filter === undefined ? undefined : JSON.stringify(filter)

const QueryInput = strict({
  structure: name(),
  filter: recordFilter(),
  sort: optional(name('field, created_at or updated_at')),
  direction: direction(),
  fields: optional(Type.Array(Type.String(), { minItems: 1, maxItems: 102 })),
  expand: optional(name('fields that name objects to add, such as customer,items.product')),
  limit: limit(USUAL_ROWS, MAX_ROWS),
  offset: offset(),
})

export const queryRecordsTool = readTool({
  name: 'query_records',
  covers: 'structures',
  description:
    'Rows of a structure as a table. A value that ends in "… (+n characters)" is shortened; read it with fewer rows and fields.',
  input: QueryInput,
  output: page('records'),
  run: (snapshot, caller, { fields, expand, filter, limit: most = USUAL_ROWS, ...input }) => {
    const structure = getStructure(snapshot, caller, input.structure, 'read')
    const keys = shownFields(structure, fields)
    const page = recordPage(snapshot, caller, {
      ...input,
      structure: structure.id,
      limit: Math.min(most, MOST_SHOWN),
      filter: filterText(filter),
    })
    const { records, total } = parsedRows<PresentedRecord>(page)
    const { offset: skipped = 0 } = input
    const columns = ['id', ...keys.filter((key) => key !== 'updated_at'), 'updated_at']
    const objects = expand === undefined ? undefined : expandedIn(snapshot, caller, structure, page, expand)
    return fitted(records, (all, cut) => {
      const items = all.map((record) => ({ ...record, data: only(record.data, keys) }))
      const reached = objects && reachedFrom(all, objects)
      return {
        text: given(
          pageLine('row', { offset: skipped, shown: items.length, total }),
          items.length > 0 && tableOf(items, columns, cut),
          reached && reached.size > 0 && objectTable(reached, cut),
        ).join('\n'),
        data: {
          records: items.map((row) => ({ ...row, data: shortenAll(row.data, cut) })),
          total,
          has_more: items.length > 0 && skipped + items.length < total,
          ...(reached && { expanded: shortenedObjects(reached, cut) }),
        },
      }
    })
  },
})

const tableOf = (rows: readonly PresentedRecord[], columns: readonly string[], cut: number): string => {
  const cellOf = ({ data, ...row }: PresentedRecord, column: string): unknown => {
    if (column === 'id' || column === 'created_at' || column === 'updated_at') return row[column]
    return Object.hasOwn(data, column) ? data[column] : undefined
  }
  const cells = rows.map((row) => columns.map((column) => cellOf(row, column)))
  return table(columns, cells, cut)
}

const PERIODS = ['day', 'week', 'month', 'year'] as const

export const summarizeTool = readTool({
  name: 'summarize',
  covers: 'structures',
  description: 'Count, sum, average, min and max of a number field, in all, per period, or per value of by.',
  input: strict({
    structure: name(),
    field: optional(name()),
    by: optional(name()),
    period: optional(choice(PERIODS)),
    date: optional(name('the date field; created_at unless given')),
    tz: optional(name()),
    filter: recordFilter(),
  }),
  output: page('buckets'),
  run: (snapshot, caller, { filter, ...input }) => {
    const request = parseRequest({ ...input, filter: filterText(filter) })
    const buckets = presentBuckets(summarise(snapshot, { caller, request }))
    const columns = [
      ...(input.period === undefined ? [] : (['period'] as const)),
      ...(input.by === undefined ? [] : (['value'] as const)),
      'count' as const,
      ...(input.field === undefined ? [] : (['sum', 'average', 'min', 'max'] as const)),
    ]
    return fitted(buckets, (items, cut) => ({
      text: given(
        items.length < buckets.length &&
          `The first ${items.length} of ${count(buckets.length, 'bucket')}; narrow the filter or choose a longer period.`,
        table(
          columns.map((column) => (column === 'value' ? (input.by ?? column) : column)),
          items.map((bucket) => columns.map((column) => bucket[column])),
          cut,
        ),
      ).join('\n'),
      data: {
        buckets: items.map((bucket) => shortenAll(bucket, cut)),
        total: buckets.length,
        has_more: items.length < buckets.length,
      },
    }))
  },
})

const USUAL_VERSIONS = 50
const MAX_VERSIONS = 200

export const historyTool = readTool({
  name: 'history',
  covers: 'structures',
  description:
    'List the changes of a record with their authors and old values, newest first; works for deleted records.',
  input: strict({ record: name('id'), limit: limit(USUAL_VERSIONS, MAX_VERSIONS) }),
  output: output({ versions: list(), has_more: Type.Boolean() }),
  run: (snapshot, caller, { record: id, limit: most = USUAL_VERSIONS }) => {
    const found = parsedBody<{ versions: PresentedVersion[]; has_more: boolean }>(
      recordHistory.run(snapshot, caller, { id, limit: most }),
    )
    return fitted(found.versions, (items, cut) => {
      const versions = shortenEach(items, cut)
      const lines = versions.map(
        (version) =>
          `${version.at} ${inline(actorName(version.actor))}: ${versionLine(version, Math.min(cut, 1_000))}`,
      )
      return {
        text: lines.length === 0 ? 'No changes are kept.' : lines.join('\n'),
        data: { versions, has_more: found.has_more || items.length < found.versions.length },
      }
    })
  },
})

const MAX_WRITTEN = 100

const Row = strict({ id: optional(Type.String()), data: values(), if_unchanged: ifUnchanged() })

const WriteInput = strict({
  structure: name(),
  rows: Type.Array(Row, { minItems: 1, maxItems: MAX_WRITTEN }),
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

/** Refuses values that were shortened when they were read, because they would replace the complete ones. */
function refuseShortened(rows: Input['rows']): void {
  for (const [at, { data }] of rows.entries()) {
    const key = Object.keys(data).find((one) => isShortened(data[one]))
    if (key === undefined) continue
    throw refused(
      `Row ${at + 1}: "${key}" is a value that was shortened when it was read; read it whole, or leave the field out.`,
    )
  }
}

function update(writers: RowWriters, structure: StructureRow, row: Numbered): RecordRow {
  const id = row.id ?? ''
  const found = findRecordHead(writers.tx, id)
  if (found?.structure !== structure.pk) throw notFound('record')
  return changeLive(writers, id, row.data, expectedInstant(row.if_unchanged))
}

/** Updates come before new rows, which may then use unique values that an update has removed. */
function write(tx: Tx, caller: Caller, { structure: named, rows, on_conflict }: Input): Written {
  const structure = getStructure(tx, caller, named, 'add')
  const numbered = rows.map((row, at): Numbered => ({ ...row, number: at + 1 }))
  const results = new Map<number, RecordRow>()
  const writers = new RowWriters(tx, caller)
  for (const row of numbered) {
    if (row.id === undefined) continue
    results.set(
      row.number,
      namingPlace(`Row ${row.number}`, `rows[${row.number - 1}]`, () => update(writers, structure, row)),
    )
  }
  const added = numbered.filter(({ id }) => id === undefined)
  const request = { structure: structure.id, rows: added.map(({ data }) => ({ data })), on_conflict }
  const names = { noun: 'Row', numberOf: (index: number) => added[index]?.number ?? index + 1 }
  const outcome =
    added.length === 0 ? { rows: [], inserted: 0, updated: 0 } : writeRecords(tx, caller, request, names)
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
    text: given(
      `${count(inserted, 'row')} inserted, ${updated} updated; ${writtenAs(id, isDryRun)}`,
      !isDryRun && items.map(({ id: row, updated_at }) => `- ${row} updated_at ${updated_at}`),
      andMore(items.length, records.length),
    ).join('\n'),
    data: {
      written: rows.length,
      inserted,
      updated,
      records: shortenEach(items, cut),
      transaction: id,
    },
  }))
}

export const writeRecordsTool = writeTool({
  name: 'write_records',
  covers: 'structures',
  description:
    'Write rows, all or none; with id a row is updated: only the fields sent, null clears. on_conflict update: a row with a unique value that is taken updates the row that has it.',
  input: WriteInput,
  output: output({
    written: Type.Integer(),
    inserted: Type.Integer(),
    updated: Type.Integer(),
    records: list(),
    transaction: transaction(),
  }),
  isTrial: ({ dry_run: isDryRun = false }) => isDryRun,
  run: (tx, caller, input) => {
    const { rows } = input
    const stray = rows.findIndex((row) => row.if_unchanged !== undefined && row.id === undefined)
    if (stray !== -1) throw invalid(`"rows[${stray}].if_unchanged" goes with "id", the row to update.`)
    refuseShortened(rows)
    return present(write(tx, caller, input), input)
  },
})
