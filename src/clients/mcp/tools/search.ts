import { Type } from '@sinclair/typebox'
import { type FoundPage, searchFiles } from '../../../files/search.ts'
import { choice, strict, text } from '../../../http/schema/types.ts'
import type { Caller } from '../../../kernel/caller.ts'
import type { Snapshot } from '../../../kernel/operation.ts'
import { listNotes } from '../../../notes/query/list.ts'
import { refreshSearch } from '../../../notes/search/indexing.ts'
import { getStructure, listStructureRows } from '../../../records/structures/store.ts'
import { limit, list, name, object, offset, optional, output } from '../schema.ts'
import { fitted, shortenEach } from '../text/fit.ts'
import { count, inline, snippetText } from '../text/markdown.ts'
import { callerFor, noteLink, parsedBody, parsedRows, readTool, recordPage } from '../tool.ts'
import { type NoteHead, type NotePage, noteLine } from './notes-read.ts'

const KINDS = ['notes', 'files', 'records'] as const
type SearchKind = (typeof KINDS)[number]

const USUAL_HITS = 10
const MAX_HITS = 50
/** The maximum length of a search for rows, in characters. */
const MAX_ROW_TEXT = 200

interface FoundRow {
  readonly structure: string
  readonly id: string
  readonly data: Record<string, unknown>
}

type Hit =
  | { readonly kind: 'notes'; readonly item: NoteHead }
  | { readonly kind: 'files'; readonly item: FoundPage }
  | { readonly kind: 'records'; readonly item: FoundRow }

interface Hits {
  readonly hits: readonly Hit[]
  readonly total: number
}

interface Search {
  readonly query: string
  readonly limit: number
  readonly offset: number
  readonly structure?: string
}

function inNotes(snapshot: Snapshot, agent: Caller, { query, ...paging }: Search): Hits {
  const request = { search: query, limit: paging.limit, offset: paging.offset, content: false }
  const { notes, total } = parsedBody<NotePage>(listNotes.run(snapshot, callerFor(agent, 'notes'), request))
  return { hits: notes.map((item) => ({ kind: 'notes', item })), total }
}

function inFiles(
  snapshot: Snapshot,
  agent: Caller,
  { query: q, limit: most, offset: skipped }: Search,
): Hits {
  const request = { q, limit: most, offset: skipped }
  const { results, total } = searchFiles.run(snapshot, callerFor(agent, 'files'), request)
  return { hits: results.map((row) => ({ kind: 'files', item: row })), total }
}

/** The rows of all structures, one structure after the other, as a single list. */
function inRecords(snapshot: Snapshot, caller: Caller, search: Search): Hits {
  const structures =
    search.structure === undefined
      ? listStructureRows(snapshot, caller, 'read')
      : [getStructure(snapshot, caller, search.structure, 'read')]
  const filter = JSON.stringify([{ field: '*', op: 'contains', value: search.query }])
  const hits: Hit[] = []
  let total = 0
  let isFull = false
  for (const { id, name: structure } of structures) {
    const skipped = Math.max(0, search.offset - total)
    const most = Math.max(1, search.limit - hits.length)
    const found = recordPage(snapshot, caller, { structure: id, filter, limit: most, offset: skipped })
    const { records } = parsedRows<Omit<FoundRow, 'structure'>>(found)
    if (!isFull)
      for (const { id: row, data } of records)
        hits.push({ kind: 'records', item: { structure, id: row, data } })
    isFull ||= hits.length === search.limit || records.length < found.rows.length
    total += found.total
  }
  return { hits, total }
}

const SEARCHES = { notes: inNotes, files: inFiles, records: inRecords }

function wantedKinds(query: string, kinds: readonly SearchKind[] | undefined, structure: string | undefined) {
  if (kinds) return KINDS.filter((kind) => kinds.includes(kind))
  if (structure !== undefined) return ['records'] as const
  // Long texts are not searched in rows unless requested.
  return KINDS.filter((kind) => kind !== 'records' || Array.from(query).length <= MAX_ROW_TEXT)
}

function hitLine(hit: Hit, cut: number): string {
  if (hit.kind === 'notes') return `${noteLine(hit.item)}\n  ${snippetText(hit.item.snippet ?? '')}`
  if (hit.kind === 'files')
    return `- ${inline(hit.item.file.file_name)} [${hit.item.file.id}] page ${hit.item.page}: ${snippetText(hit.item.snippet)}`
  const values = Object.entries(hit.item.data).map(([key, value]) => `${key}: ${inline(value, cut)}`)
  return `- ${inline(hit.item.structure)} [${hit.item.id}] ${values.join('; ')}`
}

export const searchTool = readTool({
  name: 'search',
  covers: 'several',
  description:
    'Full-text search: words are ANDed, "a phrase", prefix*, -word. In records the text as it stands, any value. limit and offset count for each kind.',
  input: strict({
    query: text({ minLength: 1, maxLength: 500 }),
    in: optional(Type.Array(choice(KINDS), { minItems: 1, maxItems: KINDS.length })),
    structure: optional(name('only its records')),
    limit: limit(USUAL_HITS, MAX_HITS),
    offset: offset(),
  }),
  output: output({
    notes: list(),
    files: list(),
    records: list(),
    totals: object(),
    total: Type.Integer(),
    has_more: Type.Boolean(),
  }),
  prepare: async (ctx, caller, { query, in: kinds, structure }) => {
    if (wantedKinds(query, kinds, structure).some((kind) => kind === 'notes'))
      await refreshSearch(ctx, callerFor(caller, 'notes').workspacePk)
  },
  run: (snapshot, caller, { query, in: kinds, structure, limit: most = USUAL_HITS, offset: skipped = 0 }) => {
    const search = { query, limit: most, offset: skipped, structure }
    const totals: Partial<Record<SearchKind, number>> = {}
    // Groups the first hits of all kinds, then the second ones: every kind shows the same number, and one offset
    // applies to all.
    const ranks: Hit[][] = []
    for (const kind of wantedKinds(query, kinds, structure)) {
      const found = SEARCHES[kind](snapshot, caller, search)
      totals[kind] = found.total
      for (const [rank, hit] of found.hits.entries()) ranks[rank] = [...(ranks[rank] ?? []), hit]
    }
    return fitted(ranks, (shown, cut) => answerOf(shown, cut, totals, skipped))
  },
})

function answerOf(
  ranks: readonly (readonly Hit[])[],
  cut: number,
  totals: Partial<Record<SearchKind, number>>,
  skipped: number,
) {
  const items = shortenEach(ranks.flat(), cut)
  const of = (kind: SearchKind) => items.filter((hit) => hit.kind === kind)
  const searched = KINDS.filter((kind) => totals[kind] !== undefined)
  const total = searched.reduce((sum, kind) => sum + (totals[kind] ?? 0), 0)
  const hasMore = searched.some((kind) => skipped + of(kind).length < (totals[kind] ?? 0))
  const sections = searched.flatMap((kind) => {
    const found = of(kind)
    const shown = found.length < (totals[kind] ?? 0) ? `, ${skipped + 1}–${skipped + found.length} shown` : ''
    const heading = `${count(totals[kind] ?? 0, kind.slice(0, -1))}${found.length === 0 ? '' : shown}`
    return [heading, ...found.map((hit) => hitLine(hit, Math.min(cut, 300)))]
  })
  const itemsOf = (kind: SearchKind) => of(kind).map(({ item }) => item)
  return {
    text: [...sections, ...(hasMore ? [`go on with offset ${skipped + ranks.length}`] : [])].join('\n'),
    data: {
      notes: itemsOf('notes'),
      files: itemsOf('files'),
      records: itemsOf('records'),
      totals,
      total,
      has_more: hasMore,
    },
    links: items.flatMap((hit) => (hit.kind === 'notes' ? [noteLink(hit.item)] : [])),
  }
}
