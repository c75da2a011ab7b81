import { join } from 'node:path'
import { parseTree } from '../../src/filter/tree/parse.ts'
import { presentFound } from '../../src/notes/present.ts'
import { findByTree, type NoteSort, queryNotes } from '../../src/notes/query/tree-query.ts'
import { refreshSearch } from '../../src/notes/search/pending.ts'
import { createNote } from '../../src/notes/writing/create.ts'
import { createProperty } from '../../src/properties/service.ts'
import { corpus, seededRandom, wordOfRank } from './corpus.ts'
import { type Dataset, openDataset, temporaryFolder } from './dataset.ts'
import { interleaved, type Line, milliseconds, type Section, type Times } from './measure.ts'
import { RawNotes } from './raw-notes.ts'
import {
  conditionsOf,
  type Named,
  searchQuestions,
  type TreeQuestion,
  treeQuestions,
} from './view-questions.ts'

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

/** Nine notes of ten have a value, each property on its own. */
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
      createProperty(tx, caller, { ...property, options: 'options' in property ? STAGES : undefined })
  })
  const notes = [...corpus(count)]
  const random = seededRandom(7)
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

function namesIn({ ctx }: Dataset): Named {
  const { sql } = ctx.db
  const tags = sql.all<{ id: number; name: string }>('SELECT id, name FROM tags')
  const properties = sql.all<{ pk: number; id: string; key: string }>('SELECT pk, id, key FROM properties')
  return {
    tags: Object.fromEntries(tags.map(({ id, name }) => [name, id])),
    properties: Object.fromEntries(properties.map((property) => [property.key, property])),
  }
}

const LIVE = 'FROM notes n WHERE workspace = 1 AND deleted_at IS NULL'
const NEWEST = 'updated_at DESC, id DESC'

const MOST = 1.5

function line(what: string, ours: Times, floor: Times, mostMs?: number): Line {
  const ratio = ours.median / floor.median
  return {
    what,
    ours: `${milliseconds(ours.median)} (p99 ${milliseconds(ours.p99)})`,
    floor: `${milliseconds(floor.median)} (p99 ${milliseconds(floor.p99)})`,
    ratio: ratio.toFixed(2),
    goal: mostMs === undefined ? `≤ ${MOST} ×` : `≤ ${MOST} ×, < ${mostMs} ms`,
    met: ratio <= MOST && (mostMs === undefined || ours.median < mostMs),
  }
}

const rawPage = (raw: RawNotes, where: string) =>
  raw.page(
    `SELECT pk ${LIVE} AND (${where}) ORDER BY ${NEWEST} LIMIT 50`,
    `SELECT count(*) ${LIVE} AND (${where})`,
  )

const FULL = 'note_search_1'

function rawSearch(raw: RawNotes, where: string, word: string): string {
  const inTree = where.replace(/^pk\b/, '+rowid')
  const found = `FROM ${FULL} WHERE ${FULL} MATCH '"${word}"' AND ${inTree}`
  return raw.page(
    `SELECT rowid AS pk ${found} ORDER BY bm25(${FULL}, 10, 1, 5) LIMIT 50`,
    `SELECT count(*) ${found}`,
  )
}

/** First page and total of a tree, without HTTP, against the same by hand. */
async function queryLine(
  { ctx, caller }: Dataset,
  raw: RawNotes,
  { what, filter, where, search, mostMs }: TreeQuestion,
  rounds: number,
): Promise<Line> {
  const times = await interleaved(
    {
      ours: async () => {
        const page = await queryNotes(ctx, caller, { filter, search })
        return JSON.stringify({ notes: page.items.map(presentFound), total: page.total, has_more: true })
      },
      floor: () => (search === undefined ? rawPage(raw, where) : rawSearch(raw, where, search)),
    },
    rounds,
  )
  return line(what, times.ours, times.floor, mostMs)
}

interface SortedQuestion {
  what: string
  sort: NoteSort
  order: string
  offset: number
}

function sortedQuestions({ properties }: Named): SortedQuestion[] {
  const held = (key: string, fold = '') =>
    `(SELECT ${fold}(value) FROM note_properties p WHERE p.property = ${properties[key]?.pk} AND p.note = n.pk)`
  const byProperty = (key: string, direction: 'asc' | 'desc', fold?: string, offset = 0): SortedQuestion => ({
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

/** A view of half the notes in different orders. */
async function sortedLine(
  { ctx, caller }: Dataset,
  raw: RawNotes,
  named: Named,
  { what, sort, order, offset }: SortedQuestion,
  rounds: number,
): Promise<Line> {
  const { node, sql } = conditionsOf(named).above('amount', 500)
  const filter = parseTree(node, 'filter')
  const times = await interleaved(
    {
      ours: async () => {
        const page = await findByTree(ctx, caller, { filter, sort, page: { limit: 50, offset } })
        return JSON.stringify({ notes: page.items.map(presentFound), total: page.total, has_more: true })
      },
      floor: () =>
        raw.page(
          `SELECT pk ${LIVE} AND (${sql}) ORDER BY ${order} LIMIT 50 OFFSET ${offset}`,
          `SELECT count(*) ${LIVE} AND (${sql})`,
        ),
    },
    rounds,
  )
  return line(what, times.ours, times.floor)
}

/** Trees and views over one size. */
async function benchSize(count: number, rounds: number): Promise<Section> {
  const file = join(temporaryFolder(), 'views.db')
  const data = await openDataset(file)
  await fill(data, count)
  const raw = new RawNotes(file)
  const named = namesIn(data)
  const lines: Line[] = []
  for (const question of [...treeQuestions(named), ...searchQuestions(named)])
    lines.push(await queryLine(data, raw, question, rounds))
  for (const question of sortedQuestions(named))
    lines.push(await sortedLine(data, raw, named, question, rounds))
  raw.close()
  data.close()
  return { title: `Filter trees and views, ${count.toLocaleString('en-US')} notes`, lines }
}

export async function benchViews(sizes: readonly number[], rounds: number): Promise<Section[]> {
  const sections: Section[] = []
  for (const size of sizes) sections.push(await benchSize(size, rounds))
  return sections
}
