import fc from 'fast-check'
import { arbitraryLongText, HOSTILE_TEXTS, HOSTILE_VALUES, partOf } from './hostile-values.ts'
import { buildIndexes, buildTextIndex, fillTextIndexPart, fillWholeTextIndex } from './indexes.ts'
import { randomSource } from './random.ts'
import {
  arbitraryData,
  arbitraryFilter,
  type Condition,
  kindOf,
  matches,
  type Row,
  type Sort,
  sorted,
  sortKeys,
  withIds,
} from './record-oracle.ts'
import { declare, type FieldSpec, write } from './records.ts'
import type { TestService } from './service.ts'

/* A table of hostile rows with a history, the ways to store its rows, and queries over it. */

export const FIELDS: FieldSpec[] = [
  { key: 'constructor', type: 'text' },
  { key: 'remark', type: 'text' },
  { key: 'state', type: 'select' },
  { key: 'n', type: 'number' },
  { key: 'day', type: 'date' },
  { key: 'time', type: 'time' },
  { key: 'at', type: 'datetime' },
  { key: 'done', type: 'bool' },
  { key: 'code', type: 'text', unique: true },
  { key: 'tags', type: 'select', multiple: true },
  { key: 'twice', type: 'formula', expression: '{n} * 2', result: 'number' },
]

const SORTS = sortKeys(FIELDS)

/** Indexes that exist during the writes, and indexes built over existing rows. */
const GROWN = ['f1', 'f3', 'f4', 'f3,f4', 'f8,updated_at', 'updated_at']
const BUILT = ['f2', 'f5', 'f7', 'f3,f1', 'f8,f2', 'f1,f5', 'f4', 'f11', 'created_at']

export async function buildOtherIndexes(service: TestService, id: string): Promise<void> {
  await buildIndexes(service, id, ...BUILT)
  await buildTextIndex(service, id)
  await fillWholeTextIndex(service, id)
}

export interface TableOptions {
  readonly seed: number
  readonly rows: number
  /** Whether the clock never goes back between writes. */
  readonly isInOrder: boolean
  /** Whether indexes are built during growth. Without indexes, a small table shares the table of small structures. */
  readonly hasIndexes: boolean
}

/** Rows that often share values. */
function arbitraryRows({ seed, rows }: TableOptions): Record<string, unknown>[] {
  const data = fc
    .tuple(arbitraryData(FIELDS, HOSTILE_VALUES), arbitraryLongText, fc.nat(9))
    .map(([row, remark, dice]) => ({ ...row, remark, ...(dice < 4 && { constructor: 'a', n: 5 }) }))
  return fc.sample(data, { numRuns: rows, seed }).map((row, at) => ({
    ...row,
    code: at % 5 === 0 ? null : `${HOSTILE_TEXTS[at % HOSTILE_TEXTS.length]}${at}`,
  }))
}

const WRITTEN_AT_ONCE = 500

/**
 * Writes the rows in parts. Between parts, some rows change, some are deleted, and some of these are restored. Returns
 * the live rows.
 */
export async function growTable(service: TestService, options: TableOptions) {
  const { seed, isInOrder, hasIndexes } = options
  const random = randomSource(seed)
  const { id } = await declare(service, `table ${seed} ${options.rows}`, FIELDS)
  const all = arbitraryRows(options)
  const others = arbitraryRows({ ...options, seed: seed + 1 })
  const live = new Map<string, Row>()
  const part = Math.min(WRITTEN_AT_ONCE, Math.ceil(all.length / 4))
  for (let at = 0; at < all.length; at += part) {
    service.clock.advance(isInOrder ? random(3) : random(5) - 2)
    for (const row of await write(service, id, ...all.slice(at, at + part))) live.set(row.id, row)
    if (hasIndexes && at === part) {
      await buildIndexes(service, id, ...GROWN)
      await buildTextIndex(service, id)
      await fillTextIndexPart(service, id, Math.ceil(part / 3))
    }
    await disturbSome(service, [...live.values()], others, random, live)
  }
  return { id, rows: [...live.values()] }
}

async function disturbSome(
  service: TestService,
  rows: readonly Row[],
  others: readonly Record<string, unknown>[],
  random: (below: number) => number,
  live: Map<string, Row>,
): Promise<void> {
  for (let round = 0; round < 12; round++) {
    service.clock.advance(1)
    const row = rows[random(rows.length)]
    const { code: _, ...data } = others[random(others.length)] ?? {}
    if (!row || !live.has(row.id)) continue
    if (round % 3 === 0)
      live.set(row.id, (await service.patch(`/v1/records/${row.id}`, { data })).body.record)
    else {
      await service.delete(`/v1/records/${row.id}`)
      live.delete(row.id)
      if (round % 3 === 2) continue
      live.set(row.id, (await service.post(`/v1/records/${row.id}/restore`)).body.record)
    }
  }
}

/** Adds and deletes a row, so that the service updates its counts from known writes or counts again. */
export async function addAndRemove(service: TestService, structure: string): Promise<void> {
  const [row] = await write(service, structure, { constructor: 'a', state: 'open', n: 5, done: true })
  await service.delete(`/v1/records/${row.id}`)
}

export interface QueryCase extends Sort {
  readonly filter: Condition[]
  readonly limit: number
  readonly offset: number
  /** The id of the row that the filter derives from. */
  readonly pivot: string | undefined
}

const ORDERED = new Set(['number', 'date', 'time', 'datetime'])

/** A condition that the row matches. */
function conditionMet(row: Row, field: FieldSpec): fc.Arbitrary<Condition> {
  const { key } = field
  const type = kindOf(field)
  const others = HOSTILE_VALUES[type] ?? []
  const value = Object.hasOwn(row.data, key) ? row.data[key] : undefined
  if (field.multiple) return conditionOnSeveral(key, value as readonly string[] | undefined, others)
  if (value === undefined)
    return fc.constantFrom<Condition>(
      { field: key, op: 'is_empty' },
      { field: key, op: 'neq', value: others[1] },
      ...(type === 'bool' ? [] : [{ field: key, op: 'not_in', value: others.slice(0, 3) }]),
    )
  const listed = type === 'bool' ? [] : [{ field: key, op: 'in', value: [...others.slice(0, 2), value] }]
  const ranges = ORDERED.has(type) ? ['gte', 'lte'].map((op) => ({ field: key, op, value })) : []
  const plain = fc.constantFrom<Condition>(
    { field: key, op: 'eq', value },
    { field: key, op: 'not_empty' },
    ...listed,
    ...ranges,
  )
  if (type !== 'text' || value === '') return plain
  return fc.oneof(
    plain,
    partOf(String(value)).map((part) => ({ field: key, op: 'contains', value: part })),
  )
}

/** The same for a field with several values. */
function conditionOnSeveral(
  key: string,
  held: readonly string[] | undefined,
  others: readonly unknown[],
): fc.Arbitrary<Condition> {
  const lacking = others.filter((one) => !held?.includes(String(one)))
  const none = { field: key, op: 'has_none', value: lacking.slice(0, 3) }
  if (!held) return fc.constantFrom<Condition>({ field: key, op: 'is_empty' }, none)
  return fc.constantFrom<Condition>(
    { field: key, op: 'not_empty' },
    { field: key, op: 'has_any', value: [...lacking.slice(0, 2), held[0]] },
    { field: key, op: 'has_all', value: held.slice(0, 2) },
    none,
  )
}

function searchMet(row: Row): fc.Arbitrary<Condition> {
  const texts = Object.values(row.data)
    .flat()
    .map(String)
    .filter((text) => text !== '')
  return fc
    .constantFrom(...(texts.length > 0 ? texts : ['']))
    .chain(partOf)
    .map((value) => ({ field: '*', op: 'contains', value }))
}

const arbitraryPivot = (rows: readonly Row[]) =>
  fc.constantFrom(...rows).chain((row) => {
    const ofField = fc.constantFrom(...FIELDS).chain((field) => conditionMet(row, field))
    const search = Object.values(row.data).some((value) => value !== '') ? [searchMet(row)] : []
    const met = fc.oneof(ofField, ...search)
    return fc
      .array(met, { minLength: 1, maxLength: 3 })
      .map((filter) => ({ filter, pivot: row.id as string | undefined }))
  })

export function arbitraryQuery(rows: readonly Row[]): fc.Arbitrary<QueryCase> {
  const random = arbitraryFilter(FIELDS, HOSTILE_VALUES).map((filter) => ({
    filter: withIds(filter, rows),
    pivot: undefined,
  }))
  return fc
    .tuple(
      fc.oneof<fc.Arbitrary<Pick<QueryCase, 'filter' | 'pivot'>>[]>(random, arbitraryPivot(rows)),
      fc.constantFrom(...SORTS),
      fc.constantFrom('asc' as const, 'desc' as const),
      fc.constantFrom(1, 7, 60),
      fc.oneof(fc.constant(0), fc.nat(30), fc.nat(rows.length)),
    )
    .map(([made, key, direction, limit, offset]) => ({ ...made, key, direction, limit, offset }))
}

/** The oracle's results for a table whose rows no longer change. */
export class Expected {
  readonly #orders = new Map<string, Row[]>()

  constructor(readonly rows: readonly Row[]) {}

  found({ filter, key, direction }: Pick<QueryCase, 'filter' | 'key' | 'direction'>): Row[] {
    const name = `${key} ${direction}`
    const order = this.#orders.get(name) ?? sorted(this.rows, { key, direction })
    this.#orders.set(name, order)
    return order.filter((row) => matches(row, FIELDS, filter))
  }
}

/** The body of a page with these rows, byte for byte. */
export function pageText(
  found: readonly Row[],
  { limit, offset }: Pick<QueryCase, 'limit' | 'offset'>,
): string {
  const records = found.slice(offset, offset + limit)
  const has_more = records.length > 0 && offset + records.length < found.length
  return JSON.stringify({ records, total: found.length, has_more })
}

/** Filters that cover, without overlap, the rows that match all other conditions but not the last one. */
const OPPOSITES: Record<string, readonly string[]> = {
  eq: ['eq', 'neq'],
  neq: ['neq', 'eq'],
  in: ['in', 'not_in'],
  not_in: ['not_in', 'in'],
  has_any: ['has_any', 'has_none'],
  has_none: ['has_none', 'has_any'],
  is_empty: ['is_empty', 'not_empty'],
  not_empty: ['not_empty', 'is_empty'],
  gt: ['gt', 'lte', 'is_empty'],
  gte: ['gte', 'lt', 'is_empty'],
  lt: ['lt', 'gte', 'is_empty'],
  lte: ['lte', 'gt', 'is_empty'],
}

const isAlwaysThere = ({ field }: Condition) => field.endsWith('_at') || field === 'id'

/**
 * Returns the filter without its last condition, and the disjoint filters that divide it: this one, its opposite, and
 * "empty".
 */
export function partition(
  filter: readonly Condition[],
): { whole: Condition[]; parts: Condition[][] } | undefined {
  const last = filter.at(-1)
  const ops = last && OPPOSITES[last.op]
  if (!last || !ops) return undefined
  const whole = filter.slice(0, -1)
  const parts = ops
    .filter((op) => op !== 'is_empty' || ops.length === 2 || !isAlwaysThere(last))
    .map((op) => {
      const { value, ...rest } = last
      return [...whole, { ...rest, op, ...(!op.endsWith('empty') && { value }) }]
    })
  return { whole, parts }
}
