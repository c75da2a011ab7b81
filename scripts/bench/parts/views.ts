import { join } from 'node:path'
import { parseTree } from '../../../src/filter/tree/parse.ts'
import { insertProperty } from '../../../src/notes/properties/service.ts'
import { listByTree, type NoteSort, queryNotes } from '../../../src/notes/query/tree-query.ts'
import { FULL_TABLE, refreshSearch } from '../../../src/notes/search/indexing.ts'
import { createNote } from '../../../src/notes/writing/create.ts'
import { Random } from '../../lib/random.ts'
import { matchOf, NotesBaseline } from '../baselines.ts'
import { corpus, wordOfRank } from '../corpus.ts'
import { type Dataset, openDataset, temporaryFolder } from '../dataset.ts'
import { interleaved } from '../measure.ts'
import { type Row, type Section, timesRow } from '../results.ts'

const NOTES_PER_TRANSACTION = 500
const CONTENT_LENGTH = 200
const STAGES = ['open', 'done', 'waiting', 'blocked', 'later']
const PROPERTIES = [
  { key: 'stage', type: 'select', options: STAGES },
  { key: 'amount', type: 'number' },
  { key: 'due', type: 'date' },
  { key: 'city', type: 'text' },
  { key: 'paid', type: 'bool' },
] as const

const DAY_MS = 86_400_000
const FIRST_DAY = Date.parse('2022-01-01')

/** Each property has a value in nine of ten notes, independently of the others. */
function valuesOf(random: () => number): Record<string, unknown> {
  const values = {
    stage: STAGES[Math.floor(random() * STAGES.length)],
    amount: Math.floor(random() * 1_000),
    due: new Date(FIRST_DAY + Math.floor(random() * 1_460) * DAY_MS).toISOString().slice(0, 10),
    city: wordOfRank(Math.floor(2_000 ** random())) + wordOfRank(Math.floor(random() * 2_000)),
    paid: random() < 0.5,
  }
  return Object.fromEntries(Object.entries(values).filter(() => random() < 0.9))
}

async function fill({ ctx, caller }: Dataset, count: number): Promise<void> {
  await ctx.db.write((tx): void => {
    for (const property of PROPERTIES)
      insertProperty(tx, caller, { ...property, options: 'options' in property ? STAGES : undefined })
  })
  const notes = [...corpus(count)]
  const generator = new Random(7)
  const random = () => generator.next()
  while (notes.length > 0) {
    await ctx.db.write((tx): void => {
      for (const { title, content, tags } of notes.splice(0, NOTES_PER_TRANSACTION))
        createNote(tx, caller, {
          title,
          content: content.slice(0, CONTENT_LENGTH),
          tags,
          properties: valuesOf(random),
        })
    })
  }
  await refreshSearch(ctx, caller.workspacePk)
  ctx.db.checkpoint()
}

function readIds({ ctx }: Dataset): Ids {
  const { sql } = ctx.db
  const tags = sql.all<{ id: number; name: string }>('SELECT id, name FROM tags')
  const properties = sql.all<{ pk: number; id: string; key: string }>('SELECT pk, id, key FROM properties')
  return {
    tags: Object.fromEntries(tags.map(({ id, name }) => [name, id])),
    properties: Object.fromEntries(properties.map((property) => [property.key, property])),
  }
}

/** A condition as a node of a filter tree, and as SQL over the table of notes. */
interface Condition {
  node: object
  sql: string
}

/** Tag ids by name, and property ids by key. */
interface Ids {
  tags: Record<string, number>
  properties: Record<string, { pk: number; id: string }>
}

interface TreeQuery {
  what: string
  filter: object
  where: string
  search?: string
  /** An absolute limit on the median. */
  maxMs?: number
}

const text = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

function conditionsOf({ tags, properties }: Ids) {
  const held = (key: string, op: string, value: unknown, test: string, isNegated = false): Condition => ({
    node: { type: 'property', def_id: properties[key]?.id, op, ...(value !== undefined && { value }) },
    sql: `pk ${isNegated ? 'NOT ' : ''}IN (SELECT note FROM note_properties WHERE property = ${properties[key]?.pk} AND ${test})`,
  })
  return {
    tagged: (name: string): Condition => ({
      node: { type: 'tags', op: 'has_any', tag_ids: [tags[name]] },
      sql: `pk IN (SELECT note FROM note_tags WHERE tag = ${tags[name]})`,
    }),
    notTagged: (name: string): Condition => ({
      node: { type: 'tags', op: 'has_none', tag_ids: [tags[name]] },
      sql: `pk NOT IN (SELECT note FROM note_tags WHERE tag = ${tags[name]})`,
    }),
    is: (key: string, value: unknown) => held(key, 'eq', value, `value = ${text(value)}`),
    isNot: (key: string, value: unknown) => held(key, 'neq', value, `value = ${text(value)}`, true),
    above: (key: string, value: number) => held(key, 'gt', value, `value > ${value}`),
    since: (key: string, day: string) => held(key, 'on_or_after', day, `value >= ${text(day)}`),
    contains: (key: string, needle: string) => held(key, 'contains', needle, `value LIKE '%${needle}%'`),
    isEmpty: (key: string) => held(key, 'empty', undefined, '1', true),
    titled: (needle: string): Condition => ({
      node: { type: 'field', field: 'title', op: 'contains', value: needle },
      sql: `title LIKE '%${needle}%'`,
    }),
  }
}

const group = (match: 'all' | 'any' | 'none', conditions: readonly Condition[]): Condition => {
  const joined = conditions.map(({ sql }) => `(${sql})`).join(match === 'all' ? ' AND ' : ' OR ')
  return {
    node: { type: 'group', match, children: conditions.map(({ node }) => node) },
    sql: match === 'none' ? `NOT (${joined})` : joined,
  }
}

const treeQuery = (what: string, { node, sql }: Condition, maxMs?: number): TreeQuery => ({
  what,
  filter: node,
  where: sql,
  maxMs,
})

const FIVE_CONDITIONS_MAX_MS = 30

/** Searches combined with a condition that half the notes match. */
function searchQueries(ids: Ids): TreeQuery[] {
  const { node, sql } = conditionsOf(ids).above('amount', 500)
  return [30, 0].map((rank) => ({
    what: `search ${rank === 0 ? 'the most common word' : 'a common word'} within a half`,
    filter: node,
    where: sql,
    search: wordOfRank(rank),
  }))
}

/** Trees with one, five and fifty conditions. */
function treeQueries(ids: Ids): TreeQuery[] {
  const { tagged, notTagged, is, isNot, above, since, contains, isEmpty, titled } = conditionsOf(ids)
  const five = [tagged('tag 1'), is('stage', 'open'), above('amount', 200), since('due', '2024-01-01')]
  const cities = Array.from({ length: 20 }, (_, at) => contains('city', wordOfRank(at * 40)))
  const amounts = Array.from({ length: 20 }, (_, at) => is('amount', at * 31))
  const tags = Array.from({ length: 10 }, (_, at) => tagged(`tag ${at + 10}`))
  return [
    treeQuery('1: a tag on many', tagged('tag 0')),
    treeQuery('1: a tag on few', tagged('tag 37')),
    treeQuery('1: not tagged', notTagged('tag 0')),
    treeQuery('1: select is', is('stage', 'open')),
    treeQuery('1: select is not', isNot('stage', 'open')),
    treeQuery('1: number above (half)', above('amount', 500)),
    treeQuery('1: number above (hundredth)', above('amount', 990)),
    treeQuery('1: date since (half)', since('due', '2024-01-01')),
    treeQuery('1: text contains', contains('city', 'ka')),
    treeQuery('1: empty', isEmpty('due')),
    treeQuery('1: title contains', titled('kabe')),
    treeQuery('5: all, broad', group('all', [...five, contains('city', 'a')]), FIVE_CONDITIONS_MAX_MS),
    treeQuery('5: all, one selective', group('all', [...five, above('amount', 995)]), FIVE_CONDITIONS_MAX_MS),
    treeQuery(
      '5: any of all and none',
      group('any', [
        group('all', [tagged('tag 1'), above('amount', 500)]),
        group('none', [is('stage', 'open'), is('stage', 'done')]),
        contains('city', wordOfRank(50)),
      ]),
      FIVE_CONDITIONS_MAX_MS,
    ),
    treeQuery('50: any', group('any', [...cities, ...amounts, ...tags])),
    treeQuery('50: none', group('none', [...cities, ...amounts, ...tags])),
    treeQuery(
      '50: all of any',
      group('all', [
        group('any', cities),
        group('any', [...amounts, is('stage', 'open')]),
        ...tags.slice(1).map(({ node, sql }) => group('none', [{ node, sql }])),
      ]),
    ),
  ]
}

const LIVE = 'FROM notes n WHERE workspace = 1 AND deleted_at IS NULL'
const NEWEST = 'updated_at DESC, id DESC'

const MAX_RATIO = 1.5

const rawPage = (raw: NotesBaseline, where: string) =>
  raw.page(
    `SELECT pk ${LIVE} AND (${where}) ORDER BY ${NEWEST} LIMIT 50`,
    `SELECT count(*) ${LIVE} AND (${where})`,
  )

function rawSearch(raw: NotesBaseline, where: string, word: string): string {
  const inTree = where.replace(/^pk\b/, '+rowid')
  const found = `FROM ${FULL_TABLE} WHERE ${FULL_TABLE} MATCH '${matchOf(word)}' AND ${inTree}`
  return raw.page(
    `SELECT rowid AS pk ${found} ORDER BY bm25(${FULL_TABLE}, 10, 1, 5) LIMIT 50`,
    `SELECT count(*) ${found}`,
  )
}

/** Measures the first page and the total of a tree, without HTTP. */
async function queryRow(
  { ctx, caller }: Dataset,
  raw: NotesBaseline,
  { what, filter, where, search, maxMs }: TreeQuery,
  rounds: number,
): Promise<Row> {
  const times = await interleaved(
    {
      daybook: () => ctx.kernel.callAs(caller, queryNotes, { body: { filter, search } }),
      floor: () => (search === undefined ? rawPage(raw, where) : rawSearch(raw, where, search)),
    },
    rounds,
  )
  return timesRow(what, times.daybook, times.floor, { maxRatio: MAX_RATIO, max: maxMs })
}

interface SortedQuery {
  what: string
  sort: NoteSort
  order: string
  offset: number
}

function sortedQueries({ properties }: Ids): SortedQuery[] {
  const held = (key: string, fold = '') =>
    `(SELECT ${fold}(value) FROM note_properties p WHERE p.property = ${properties[key]?.pk} AND p.note = n.pk)`
  const byProperty = (key: string, direction: 'asc' | 'desc', fold?: string, offset = 0): SortedQuery => ({
    what: `view by ${key} ${direction}${offset > 0 ? `, from ${offset}` : ''}`,
    sort: { field: 'property', direction, property: properties[key]?.id },
    order: `${held(key, fold)} ${direction} NULLS LAST, id ${direction}`,
    offset,
  })
  return [
    { what: 'view by title', sort: { field: 'title', direction: 'asc' }, order: 'title_fold, id', offset: 0 },
    byProperty('amount', 'desc'),
    byProperty('amount', 'asc', '', 20_000),
    byProperty('due', 'asc'),
    byProperty('stage', 'asc', 'lower'),
    byProperty('city', 'desc', 'lower'),
  ]
}

/** Measures a view of half the notes in different orders. */
async function sortedRow(
  { ctx, caller }: Dataset,
  raw: NotesBaseline,
  ids: Ids,
  { what, sort, order, offset }: SortedQuery,
  rounds: number,
): Promise<Row> {
  const { node, sql } = conditionsOf(ids).above('amount', 500)
  const filter = parseTree(node, 'filter')
  const times = await interleaved(
    {
      daybook: () => ctx.kernel.callAs(caller, listByTree, { filter, sort, page: { limit: 50, offset } }),
      floor: () =>
        raw.page(
          `SELECT pk ${LIVE} AND (${sql}) ORDER BY ${order} LIMIT 50 OFFSET ${offset}`,
          `SELECT count(*) ${LIVE} AND (${sql})`,
        ),
    },
    rounds,
  )
  return timesRow(what, times.daybook, times.floor, { maxRatio: MAX_RATIO })
}

/** Measures filter trees and views in one workspace. */
async function benchSize(count: number, rounds: number): Promise<Section> {
  const file = join(temporaryFolder(), 'views.db')
  const data = await openDataset(file)
  await fill(data, count)
  const raw = new NotesBaseline(file)
  const ids = readIds(data)
  const rows: Row[] = []
  for (const query of [...treeQueries(ids), ...searchQueries(ids)])
    rows.push(await queryRow(data, raw, query, rounds))
  for (const query of sortedQueries(ids)) rows.push(await sortedRow(data, raw, ids, query, rounds))
  raw.close()
  data.close()
  return { title: `Filter trees and views, ${count.toLocaleString('en-US')} notes`, rows }
}

export async function benchViews(sizes: readonly number[], rounds: number): Promise<Section[]> {
  const sections: Section[] = []
  for (const size of sizes) sections.push(await benchSize(size, rounds))
  return sections
}
