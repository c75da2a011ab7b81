import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { parquetReadObjects } from 'hyparquet'
import { generateTypes } from '../../src/clients/types/generate.ts'
import { ALL_ROW_OPERATORS } from '../../src/filter/operators.ts'
import { FIELD_TYPES, rulesOf } from '../../src/filter/record/field-types.ts'
import { joinedValues } from '../../src/lib/csv-cells.ts'
import { RESULT_TYPES } from '../../src/lib/formula/values.ts'
import { OfflineRows } from '../../src/web/offline/offline-rows.ts'
import { connectAgent } from '../support/agent.ts'
import { runInProcess } from '../support/cli.ts'
import { contentOf } from '../support/content.ts'
import { stored as rowsOf } from '../support/database.ts'
import {
  type FieldKindCase,
  type FieldKinds,
  isRollup,
  isSeveral,
  isWritten,
  makeFieldKinds,
  makeObjects,
  written,
} from '../support/field-kinds.ts'
import { mirrorOf } from '../support/mirror.ts'
import { newFolder } from '../support/process.ts'
import { giveTable, list, summary, write } from '../support/records.ts'
import { type Client, settle, startService, type TestService } from '../support/service.ts'
import { call } from '../support/sources.ts'
import { watch } from '../support/watch.ts'
import { exportTo, importFrom } from '../support/workspace-files.ts'

/*
 * Every kind of field in every place that shows, tests, moves or accepts values of fields. A new type fails here until
 * each place knows it. The screens have the same table in `test/browser/field-types.test.ts`.
 */

const folder = newFolder()
let service: TestService
let world: FieldKinds

beforeAll(async () => {
  service = await startService()
  world = await makeFieldKinds(service, await makeObjects(service))
})
afterAll(() => {
  service.close()
  folder.remove()
})

type Data = Readonly<Record<string, unknown>>

/** The keys of the kinds for which a place is wrong. */
const wrongIn = (isRight: (kind: FieldKindCase) => boolean, kinds = world.kinds): string[] =>
  kinds.filter((kind) => !isRight(kind)).map(({ spec }) => spec.key)

const stored = () => world.kinds.filter((kind) => !isRollup(kind))
const writable = () => world.kinds.filter(isWritten)
const same = (one: unknown, other: unknown) => Bun.deepEquals(one, other)

/** The keys of the kinds whose values are not in the data. */
const lackingIn = (data: Data, values: 'first' | 'second', kinds = world.kinds) =>
  wrongIn((kind) => same(data[kind.spec.key], kind[values]), kinds)

const namesOf = (records: readonly { data: Data }[]) => records.map(({ data }) => data.name)

const orderedTypes = new Set(['number', 'date', 'time', 'datetime'])

/** The names of the rows that a condition with the first value matches; undefined where the operator is refused. */
function expectedNames(kind: FieldKindCase, op: string): string[] | undefined {
  if (isRollup(kind)) return undefined
  const [first, second, none] = [['first'], ['second'], ['none']] as const
  const ofAny: Record<string, string[]> = { is_empty: [...none], not_empty: [...first, ...second] }
  const ofSeveral = { has_any: [...first], has_all: [...first], has_none: [...second, ...none] }
  const ofOne = { eq: [...first], neq: [...second, ...none] }
  const ofList = { in: [...first], not_in: [...second, ...none] }
  const ofOrder = { gt: [...second], gte: [...first, ...second], lt: [], lte: [...first] }
  const type = kind.valueType
  const allowed: Record<string, string[]> = isSeveral(kind)
    ? { ...ofAny, ...ofSeveral }
    : {
        ...ofAny,
        ...ofOne,
        ...(type !== 'bool' && ofList),
        ...(orderedTypes.has(type) && ofOrder),
        ...(type === 'text' && { contains: [...first] }),
      }
  return allowed[op]
}

const LISTS = ['in', 'not_in']

function conditionOf({ spec: { key }, first }: FieldKindCase, op: string) {
  const value = LISTS.includes(op) ? [first] : op.endsWith('empty') ? undefined : first
  return { field: key, op, ...(value !== undefined && { value }) }
}

/** Checks every operator of every kind with a function that lists the rows, or throws or returns a refusal. */
async function filterProblems(find: (filter: object[]) => Promise<unknown[] | undefined>): Promise<string[]> {
  const problems: string[] = []
  for (const kind of world.kinds)
    for (const op of ALL_ROW_OPERATORS) {
      const found = await find([conditionOf(kind, op)])
      if (!same(found, expectedNames(kind, op))) problems.push(`${kind.spec.key} ${op}: ${found}`)
    }
  return problems
}

const filteredBy = (client: Client) => async (filter: object[]) => {
  const { status, body } = await list(client, 'All', { filter, direction: 'asc' })
  return status === 200 ? namesOf(body.records) : undefined
}

test('the table has every type, with one value and with several, and every result of formulas', () => {
  const specs = world.kinds.map(({ spec }) => spec)
  const has = (more: object) => specs.some((spec) => Bun.deepMatch(more, spec))
  expect(FIELD_TYPES.filter((type) => !has({ type }))).toEqual([])
  const several = FIELD_TYPES.filter((type) => rulesOf({ type }).mayBeMultiple)
  expect(several.filter((type) => !has({ type, multiple: true }))).toEqual([])
  expect(RESULT_TYPES.filter((result) => !has({ type: 'formula', result }))).toEqual([])
})

test('reads: lists, pages by cursor, single rows and expanded ones', async () => {
  const [first, second] = world.rows
  const listed = await list(service, 'All', { direction: 'asc' })
  expect(lackingIn(listed.body.records[0].data, 'first')).toEqual([])
  expect(lackingIn(listed.body.records[1].data, 'second')).toEqual([])
  expect(listed.body.records[2].data).toEqual({ name: 'none', rollup_count: 0, rollup_sum: 0 })
  const paged = await list(service, 'All', { direction: 'asc', cursor: 'start', limit: 1 })
  expect(lackingIn(paged.body.records[0].data, 'first')).toEqual([])
  const { record } = (await service.get(`/v1/records/${first}`)).body
  expect(lackingIn(record.data, 'first')).toEqual([])
  const expandable = ['note', 'file', 'record', 'user']
  const expanded = async (kind: FieldKindCase) => {
    const { status, body } = await service.get(`/v1/records/${second}?expand=${kind.spec.key}`)
    return status === 200 ? Object.keys(body.expanded) : undefined
  }
  const found = new Map<FieldKindCase, string[] | undefined>()
  for (const kind of world.kinds) found.set(kind, await expanded(kind))
  expect(
    wrongIn((kind) =>
      same(found.get(kind), expandable.includes(kind.spec.type) ? [kind.second].flat() : undefined),
    ),
  ).toEqual([])
})

test.each([
  ['of rows beside other small structures', false],
  ['of rows in a table of their own', true],
])('filters %s', async (_, isOwn) => {
  if (isOwn) await giveTable(service, 'All')
  expect(await filterProblems(filteredBy(service))).toEqual([])
  const access = { structures: { '*': 'none', [world.structure]: 'read' } } as const
  const narrow = service.as(await service.newKey({ scope: 'read', access }))
  const rollups = { rollup_count: 0 }
  expect((await list(narrow, 'All', { direction: 'asc' })).body.records[0].data).toMatchObject(rollups)
  expect(await filterProblems(filteredBy(narrow))).toEqual([])
})

test('sorts, or their refusal', async () => {
  for (const kind of world.kinds) {
    const { status, body } = await list(service, 'All', { sort: kind.spec.key, direction: 'asc' })
    const isSorted = !isSeveral(kind) && !isRollup(kind)
    const outcome = isSorted ? namesOf(body.records) : body.code
    expect([kind.spec.key, status, outcome]).toEqual([
      kind.spec.key,
      isSorted ? 200 : 400,
      isSorted ? ['first', 'second', 'none'] : 'refused',
    ])
    const view = { structure: 'All', name: 'Sorted', sort: kind.spec.key, personal: true }
    const saved = await service.post('/v1/records/views', view)
    expect([kind.spec.key, saved.status]).toEqual([kind.spec.key, isSorted ? 201 : 400])
    if (isSorted) await service.delete(`/v1/records/views/${saved.body.row_view.id}`)
  }
})

test('summaries, by value, of numbers and by day', async () => {
  for (const kind of world.kinds) {
    const { key } = kind.spec
    const byValue = await summary(service, 'All', { by: key })
    const values = isRollup(kind)
      ? undefined
      : byValue.body.buckets.map(({ value, count }: { value: unknown; count: number }) => [value, count])
    const expected = [...[kind.first].flat(), ...[kind.second].flat(), null].map((value) => [value, 1])
    const sorted = (pairs: unknown[] | undefined) => pairs?.map((pair) => JSON.stringify(pair)).sort()
    expect([key, byValue.status, sorted(values)]).toEqual([
      key,
      isRollup(kind) ? 400 : 200,
      isRollup(kind) ? undefined : sorted(expected),
    ])
    const isNumber = kind.valueType === 'number'
    const sum = await summary(service, 'All', { field: key })
    expect([key, sum.status, sum.body.buckets?.[0].sum]).toEqual([
      key,
      isNumber ? 200 : 400,
      isNumber ? Number(kind.first) + Number(kind.second) : undefined,
    ])
    const isDay = kind.valueType === 'date' || kind.valueType === 'datetime'
    const days = await summary(service, 'All', { date: key, period: 'day' })
    expect([key, days.status, days.body.buckets?.[0].period]).toEqual([
      key,
      isDay ? 200 : 400,
      isDay ? String(kind.first).slice(0, 10) : undefined,
    ])
  }
})

const isGrouping = (kind: FieldKindCase) => ['select', 'bool', 'user'].includes(kind.valueType)

test('boards, groups of a table and calendars', async () => {
  for (const kind of world.kinds) {
    const { key } = kind.spec
    const board = await service.get(`/v1/records/board?structure=All&group_by=${key}`)
    const saved = async (more: object) => {
      const view = { structure: 'All', name: 'View', personal: true, ...more }
      const { status, body } = await service.post('/v1/records/views', view)
      if (status === 201) await service.delete(`/v1/records/views/${body.row_view.id}`)
      return status
    }
    const views = [
      await saved({ kind: 'board', group_by: key }),
      await saved({ kind: 'table', group_by: key }),
      await saved({ kind: 'calendar', date_field: key }),
    ]
    const grouping = isGrouping(kind)
    const isDay = !isRollup(kind) && ['date', 'datetime'].includes(kind.valueType)
    expect([key, board.status, ...views]).toEqual([
      key,
      grouping ? 200 : 400,
      grouping ? 201 : 400,
      grouping ? 201 : 400,
      isDay ? 201 : 400,
    ])
    if (!grouping) continue
    const filled = board.body.columns.filter(({ total }: { total: number }) => total > 0)
    const values = filled.map(({ value }: { value: unknown }) => JSON.stringify(value)).sort()
    const expected = [...[kind.first].flat(), ...[kind.second].flat(), null].map((one) => JSON.stringify(one))
    expect([key, values]).toEqual([key, expected.sort()])
    expect(lackingIn(filled[0].records[0].data, 'first')).toEqual([])
  }
})

test('a write, its watch, feed, history, webhooks and undo', async () => {
  const hooks = new Map<string, { status: number; id: string }>()
  const pull = { structure: 'All', delivery: 'pull' }
  for (const kind of world.kinds) {
    const { key } = kind.spec
    const filter = [conditionOf(kind, isSeveral(kind) ? 'has_all' : 'eq')]
    const { status, body } = await service.post('/v1/webhooks', { ...pull, filter, fields: [key] })
    hooks.set(key, { status, id: body.webhook?.id })
  }
  const { webhook } = (await service.post('/v1/webhooks', pull)).body
  const opened = await watch(service, 'All', { changes: true })
  await opened.event('answer')
  const merge = async () => {
    await settle()
    service.clock.advance(250)
  }
  const { cursor } = (await service.get('/v1/changes?after=now')).body

  const [row] = await write(service, 'All', written(world.kinds, 'first'))
  expect(lackingIn(row.data, 'first', stored())).toEqual([])
  await merge()
  const { changes } = await opened.event('answer')
  expect(lackingIn(changes.created[0].data, 'first', stored())).toEqual([])
  const path = `/v1/records/${row.id}`
  const patched = await service.patch(path, { data: written(world.kinds, 'second') })
  expect(lackingIn(patched.body.record.data, 'second', stored())).toEqual([])
  await merge()
  const next = await opened.event('answer')
  expect(lackingIn(next.changes.updated[0].data, 'second', stored())).toEqual([])
  await opened.leave()

  const feed = (await service.get(`/v1/changes?include=objects&after=${cursor}`)).body.changes
  const updated = feed.findLast(({ kind, op }: Data) => kind === 'record' && op === 'updated')
  const { versions } = (await service.get(`${path}/history`)).body
  const { events } = (await service.get(`/v1/webhooks/${webhook.id}/events`)).body
  const [created, moved] = events.map(({ payload }: Data) => payload)
  expect(lackingIn(updated.object.data, 'second', stored())).toEqual([])
  expect(lackingIn(created.record.data, 'first', stored())).toEqual([])
  expect(lackingIn(moved.record.data, 'second', stored())).toEqual([])
  for (const { changed, previous } of [updated, versions[0], moved]) {
    expect(wrongIn(({ spec }) => changed.includes(spec.key), stored())).toEqual([])
    expect(lackingIn(previous, 'first', stored())).toEqual([])
  }
  for (const kind of world.kinds) {
    const { key } = kind.spec
    const { status, id } = hooks.get(key) ?? { status: 0, id: '' }
    expect([key, status]).toEqual([key, isRollup(kind) ? 400 : 201])
    if (isRollup(kind)) continue
    const sent = (await service.get(`/v1/webhooks/${id}/events`)).body.events
    expect([key, sent.map(({ payload }: { payload: Data }) => payload.type)]).toEqual([
      key,
      ['record.created'],
    ])
    await service.delete(`/v1/webhooks/${id}`)
  }
  await service.delete(`/v1/webhooks/${webhook.id}`)

  const undone = await service.post('/v1/changes/undo', { transaction: updated.transaction })
  expect(undone.status).toBe(200)
  const { record } = (await service.get(path)).body
  expect(lackingIn(record.data, 'first', stored())).toEqual([])
  const reverted = await service.post(`${path}/revert`, { to: versions[0].cursor })
  expect(lackingIn(reverted.body.record.data, 'second', stored())).toEqual([])
  await service.delete(path)
  const restored = await service.post(`${path}/restore`)
  expect(lackingIn(restored.body.record.data, 'second', stored())).toEqual([])
  await service.delete(path)
})

test('maps of sources, and their constants', async () => {
  const unverified = { structure: 'All', provider: 'none', options: { unverified: true } }
  for (const kind of world.kinds) {
    const map = { [kind.spec.key]: { path: '/x', default: kind.first } }
    const { status, body } = await service.post('/v1/sources', { ...unverified, name: 'One', map })
    expect([kind.spec.key, status]).toEqual([kind.spec.key, isWritten(kind) ? 201 : 400])
    if (status === 201) await service.delete(`/v1/sources/${body.source.id}`)
  }
  const map = Object.fromEntries(writable().map(({ spec: { key } }) => [key, `/${key}`]))
  const { source } = (await service.post('/v1/sources', { ...unverified, name: 'All', map })).body
  await call(service, source.url, JSON.stringify(written(world.kinds, 'first')))
  const { records } = (await list(service, 'All', { limit: 1 })).body
  expect(lackingIn(records[0].data, 'first', stored())).toEqual([])
  await service.delete(`/v1/records/${records[0].id}`)
  await service.delete(`/v1/sources/${source.id}`)
})

/** Pages without a session neither show other objects of the workspace nor accept their ids. */
const isAsked = (kind: FieldKindCase) =>
  isWritten(kind) && !['note', 'record', 'user'].includes(kind.spec.type)

test('forms', async () => {
  const made = await service.post('/v1/shares', { kind: 'form', target_id: world.structure, options: {} })
  const address = `http://x.example${new URL(made.body.share.url).pathname}`
  const visit = async (init: RequestInit = {}) => {
    const response = await service.app.fetch(new Request(address, init), {
      requestIP: () => ({ address: '203.0.113.7' }),
      timeout: () => {},
    } as never)
    return { status: response.status, text: await response.text() }
  }
  const { text: page } = await visit()
  expect(wrongIn((kind) => page.includes(`name="${kind.spec.key}"`) === isAsked(kind))).toEqual([])
  const body = new FormData()
  for (const { spec, first } of world.kinds.filter(isAsked)) {
    if (spec.type === 'file')
      for (const n of [first].flat().keys()) body.append(spec.key, new File(['x'], `sent ${n}.txt`))
    else for (const value of [first].flat()) body.append(spec.key, String(value).replace(/Z$/, ''))
  }
  expect((await visit({ method: 'POST', body })).status).toBe(303)
  const [row] = (await list(service, 'All', { limit: 1 })).body.records
  const typed = world.kinds.filter((kind) => isAsked(kind) && kind.spec.type !== 'file')
  expect(lackingIn(row.data, 'first', typed)).toEqual([])
  expect([typeof row.data.file, row.data.files.length]).toEqual(['string', 2])
  await service.delete(`/v1/records/${row.id}`)
})

/** A value as visitors of a share see it. */
function shownText({ spec, first, valueType }: FieldKindCase): string {
  const several = Array.isArray(first)
  if (spec.type === 'select') return several ? first.join(', ') : String(first)
  if (spec.type === 'record') return several ? '2 rows' : 'a row'
  if (spec.type === 'user') return several ? '2 members' : 'a member'
  if (spec.type === 'note' || spec.type === 'file') return several ? `2 ${spec.type}s` : `a ${spec.type}`
  if (valueType === 'bool') return 'no'
  return valueType === 'datetime' ? '2026-01-02 09:30 UTC' : String(first)
}

test('shares of views, and their files', async () => {
  const view = { structure: 'All', name: 'Shared', direction: 'asc' }
  const { row_view } = (await service.post('/v1/records/views', view)).body
  const options = { csv: true }
  const made = await service.post('/v1/shares', { kind: 'row_view', target_id: row_view.id, options })
  const get = async (suffix: string) => {
    const { pathname } = new URL(made.body.share.url)
    return (await service.app.fetch(new Request(`http://x.example${pathname}${suffix}`))).text()
  }
  const [page, csv] = [await get(''), await get('.csv')]
  const cells = Array.from(page.matchAll(/<td[^>]*>([^<]*)<\/td>/g), ([, text]) => text)
  expect(wrongIn((kind) => cells.includes(shownText(kind)), stored())).toEqual([])
  // A visitor reads rows of the shared table alone, so those of others do not count.
  expect(cells.slice(world.kinds.findIndex(isRollup) + 1, world.kinds.length + 1)).toEqual(['0', '', '', ''])
  const isReference = ({ spec }: FieldKindCase) => ['note', 'file', 'record', 'user'].includes(spec.type)
  const lines = csv.split('\r\n')
  expect(lines[0]?.split(',')).toEqual(['name', ...world.kinds.map(({ spec }) => spec.key)])
  expect(
    wrongIn(
      (kind) => (lines[1] ?? '').includes(isReference(kind) ? shownText(kind) : exportedText(kind.first)),
      stored(),
    ),
  ).toEqual([])
})

const exportedText = (value: unknown): string =>
  Array.isArray(value) ? joinedValues(value as string[]) : String(value)

/** Declares a structure with the same fields, whose roll-ups count other rows. */
async function declareImported(): Promise<void> {
  const others = (await service.get('/v1/records/structures/Others')).body.structure.fields
  const specs = world.kinds.map(({ spec: { result: _, ...spec } }) => spec)
  const fields = [{ key: 'name', type: 'text' }, ...specs.filter(({ type }) => type !== 'rollup')]
  await service.post('/v1/records/structures', { name: 'Imported', fields })
  const link = { key: 'imported', type: 'record', structure: 'Imported' }
  await service.patch('/v1/records/structures/Others', { fields: [...others, link] })
  const via = { structure: 'Others', field: 'imported' }
  const rollups = specs.filter(({ type }) => type === 'rollup').map((spec) => ({ ...spec, via }))
  await service.patch('/v1/records/structures/Imported', { fields: [...fields, ...rollups] })
}

/** Writes the database of the service into a file, for commands. */
async function fileOf(name: string): Promise<string> {
  const file = folder.file(`${name}.db`)
  await Bun.write(file, contentOf(service))
  return file
}

test('exports and imports as CSV, and exports as JSON lines', async () => {
  await declareImported()
  const db = await fileOf('csv')
  const exported = async (...flags: string[]) => {
    const { exitCode, out } = await runInProcess(['export', '--structure', 'All', '--db', db, ...flags])
    expect(exitCode).toBe(0)
    return out
  }
  const csv = await exported('--headings', 'key')
  const [heads = '', line = ''] = csv.split('\n')
  expect(heads.split(',')).toEqual(['name', ...world.kinds.map(({ spec }) => spec.key)])
  expect(wrongIn(({ first }) => line.includes(exportedText(first)))).toEqual([])
  const [json = ''] = (await exported('--format', 'jsonl')).split('\n')
  expect(lackingIn(JSON.parse(json).data, 'first')).toEqual([])
  const file = folder.file('rows.csv')
  await Bun.write(file, csv)
  const imported = await runInProcess(['import', file, '--structure', 'Imported', '--db', db])
  expect(imported.exitCode).toBe(0)
  const reopened = await startService({ file: db })
  const key = await reopened.newKey()
  const { records } = (await list(reopened.as(key), 'Imported', { direction: 'asc' })).body
  reopened.close()
  expect(lackingIn(records[0].data, 'first', stored())).toEqual([])
  expect(lackingIn(records[1].data, 'second', stored())).toEqual([])
  expect(records[2].data).toEqual({ name: 'none', rollup_count: 0, rollup_sum: 0 })
})

test('exports as SQLite and Parquet', async () => {
  const [sqlite, parquet] = [folder.file('all.sqlite'), folder.file('parquet')]
  const db = await fileOf('tables')
  const run = (...args: string[]) => runInProcess(['export', ...args, '--headings', 'key', '--db', db])
  expect(await run(sqlite, '--format', 'sqlite')).toMatchObject({ exitCode: 0, err: '' })
  expect(await run(parquet, '--format', 'parquet')).toMatchObject({ exitCode: 0, err: '' })
  const [row = {}] = rowsOf<Data>(sqlite, 'SELECT * FROM "All" WHERE name = ?', 'first')
  const plain = ({ first }: FieldKindCase) =>
    Array.isArray(first) ? JSON.stringify(first) : typeof first === 'boolean' ? Number(first) : first
  expect(wrongIn((kind) => same(row[kind.spec.key], plain(kind)))).toEqual([])
  const { buffer } = Uint8Array.from(readFileSync(`${parquet}/All.parquet`))
  const [read = {}] = (await parquetReadObjects({ file: buffer })) as Data[]
  const asJson = (value: unknown, { valueType, first }: FieldKindCase) => {
    if (!(value instanceof Date)) return typeof value === 'bigint' ? Number(value) : value
    const days = valueType === 'date' || first === '2026-01-02'
    return days ? value.toISOString().slice(0, 10) : value.toISOString()
  }
  expect(
    wrongIn((kind) => {
      const expected = Array.isArray(kind.first) ? JSON.stringify(kind.first) : kind.first
      return same(asJson(read[kind.spec.key], kind), expected)
    }),
  ).toEqual([])
})

test('an export and import of the workspace', async () => {
  const target = folder.file('workspace')
  exportTo(service, target)
  const other = await startService()
  const { refused } = await importFrom(other, target)
  expect(refused).toEqual([])
  const rows = async (client: Client) =>
    (await list(client, 'All', { direction: 'asc' })).body.records.map(({ data }: { data: Data }) => data)
  expect(await rows(other)).toEqual(await rows(service))
  const fieldsOf = async (client: Client) =>
    (await client.get('/v1/records/structures/All')).body.structure.fields
  expect(await fieldsOf(other)).toEqual(await fieldsOf(service))
  other.close()
})

test('a mirror, also a writable one', async () => {
  const mirror = await mirrorOf(service, { isWritable: true })
  try {
    const [first = '', , none = ''] = world.rows
    const dataOf = async (client: Client, id: string) =>
      (await client.get(`/v1/records/${id}`)).body.record.data
    expect(lackingIn(await dataOf(mirror, first), 'first')).toEqual([])
    await mirror.patch(`/v1/records/${none}`, { data: written(world.kinds, 'second') })
    expect(lackingIn(await dataOf(mirror, none), 'second', stored())).toEqual([])
    await mirror.push()
    await mirror.catchUp()
    expect(lackingIn(await dataOf(service, none), 'second', stored())).toEqual([])
    expect(lackingIn(await dataOf(mirror, none), 'second', stored())).toEqual([])
    expect(await mirror.differing()).toEqual([])
    const cleared = Object.fromEntries(writable().map(({ spec }) => [spec.key, null]))
    await service.patch(`/v1/records/${none}`, { data: cleared })
  } finally {
    await mirror.close()
  }
})

test('the tools of agents', async () => {
  const agent = await connectAgent(service.app, service.key)
  try {
    const described = await agent.call('describe', { structure: 'All' })
    expect(wrongIn(({ spec }) => described.text.includes(spec.key))).toEqual([])
    const query = { structure: 'All', filter: [{ field: 'name', op: 'eq', value: 'first' }] }
    const found = await agent.call('query_records', query)
    expect(lackingIn(found.data.records[0].data, 'first')).toEqual([])
    const sent = { structure: 'All', rows: [{ data: written(world.kinds, 'second') }] }
    const { data } = await agent.call('write_records', sent)
    expect(lackingIn(data.records[0].data, 'second', stored())).toEqual([])
    await service.delete(`/v1/records/${data.records[0].id}`)
  } finally {
    await agent.close()
  }
})

/** The type of a field in a generated file. */
function typeScript({ spec, valueType }: FieldKindCase): string {
  const names: Readonly<Record<string, string>> = {
    ...{ number: 'number', bool: 'boolean', note: 'NoteId', file: 'FileId', record: 'Id<"Others">' },
    ...{ user: 'UserId', rollup: 'number | string' },
  }
  const name = spec.options ? '"open" | "shut"' : (names[valueType] ?? 'string')
  if (spec.multiple) return `${name}[]`
  return spec.type === 'formula' || spec.type === 'rollup' ? `Formula<${name}>` : name
}

test('generated types', async () => {
  const { structures } = (await service.get('/v1/records/structures')).body
  const lines = generateTypes(structures)
    .split('\n')
    .map((line) => line.trim())
  expect(wrongIn((kind) => lines.includes(`${kind.spec.key}?: ${typeScript(kind)}`))).toEqual([])
})

test('the offline copy', async () => {
  const { structure } = (await service.get('/v1/records/structures/All')).body
  const { records } = (await list(service, 'All', { direction: 'asc' })).body
  const offline = new OfflineRows(structure, records, '')
  const rows = (query: object): string[] | undefined => {
    try {
      return offline
        .list({ direction: 'asc', limit: 50, offset: 0, ...query })
        .records.map(({ data }) => String(data.name))
    } catch {
      return undefined
    }
  }
  expect(await filterProblems(async (filter) => rows({ filter: JSON.stringify(filter) }))).toEqual([])
  expect(
    wrongIn((kind) =>
      same(
        rows({ sort: kind.spec.key }),
        isSeveral(kind) || isRollup(kind) ? undefined : ['first', 'second', 'none'],
      ),
    ),
  ).toEqual([])
})
