import type { Static } from '@sinclair/typebox'
import type { InWorkspace } from '../../context.ts'
import { long, read } from '../../kernel/operation.ts'
import { utcDay } from '../../lib/dates.ts'
import type { Reader } from '../../storage/reader.ts'
import { listLinkTargets } from '../links/resolve-target.ts'
import { evaluationOf, matchingNotes } from '../query/evaluate.ts'
import { byId } from '../query/page.ts'
import { checkedTree } from '../query/tree-query.ts'
import { loadTitles } from '../store.ts'
import { type Drawing, type DrawnNode, drawGraph, type NodeOf, type TaggedNotes } from './layout.ts'
import type { GraphResponse } from './schema.ts'
import { DEFAULT_SETTINGS, findDefaultLens, lensKind } from './service.ts'

export type Graph = Static<typeof GraphResponse>

/** Up to this many notes, only their own links and tags are read; above it, all of the workspace. */
const LOOKUP_LIMIT = 2_000
const NO_LENS = { scope: null, settings: DEFAULT_SETTINGS }

/**
 * Draws the graph of a lens, which is read in the same snapshot as the notes. Without `id`, it uses the default lens;
 * without any lens, the default settings and the whole workspace. `today` is the UTC day, `YYYY-MM-DD`.
 */
export function graphIn(
  reader: Reader,
  place: InWorkspace,
  { id, today, lookupLimit = LOOKUP_LIMIT }: { id?: string; today: string; lookupLimit?: number },
): Graph {
  const { workspacePk: workspace } = place
  const lens = id === undefined ? findDefaultLens(reader, place) : lensKind.get(reader, place, id)
  const { scope, settings } = lens ?? NO_LENS
  const notes = matchingNotes(reader, workspace, checkedTree(reader, workspace, scope, 'scope'), today)
  const among = notes.length <= lookupLimit ? notes : undefined
  const drawing = drawGraph(
    {
      notes: byId(evaluationOf(reader, workspace, today), notes, 'asc'),
      tags: settings.layers.tags ? notesByTag(reader, workspace, among) : [],
      links: settings.layers.links ? listLinkTargets(reader, workspace, among) : [],
    },
    settings,
  )
  return withNames(reader, drawing)
}

/** Uses the links of indexed notes, so call `refreshLinks` first. */
export const graphOfLens = long(
  read({
    name: 'lenses.graph',
    covers: 'notes',
    run: (snapshot, caller, { id }: { id?: string }) =>
      graphIn(snapshot, caller, { ...(id !== undefined && { id }), today: utcDay(snapshot.now) }),
  }),
)

/** Adds ids and titles; these are read only for the drawn nodes. */
function withNames(reader: Reader, { nodes, edges, truncated }: Drawing): Graph {
  const kinds = nodes.map(({ of }) => of)
  const titles = loadTitles(
    reader,
    kinds.flatMap((of) => (of.kind === 'note' ? [of.pk] : [])),
  )
  const names = tagNames(
    reader,
    kinds.flatMap((of) => (of.kind === 'tag' ? [of.tag] : [])),
  )
  const nameOf = (of: NodeOf) => {
    if (of.kind === 'note') return known(titles, of.pk)
    if (of.kind === 'tag') return { id: `tag:${of.tag}`, title: known(names, of.tag) }
    return { id: `dangling:${of.target}`, title: of.target }
  }
  const named = new Map(nodes.map((node) => [node, nameOf(node.of)]))
  const idOf = (node: DrawnNode) => known(named, node).id
  return {
    nodes: nodes.map((node) => {
      const { id, title } = known(named, node)
      return { id, title, kind: node.of.kind, degree: node.degree }
    }),
    edges: edges.map(({ from, to, kind }) => ({ from: idOf(from), to: idOf(to), kind })),
    truncated,
  }
}

function known<Key, Value>(values: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = values.get(key)
  if (value === undefined) throw new Error('a node of the graph disappeared during one read')
  return value
}

/** Tags by id with their notes, read in batches; with `among`, limited to these notes. */
function notesByTag(reader: Reader, workspace: number, among?: readonly number[]): Iterable<TaggedNotes> {
  return {
    [Symbol.iterator]: () =>
      among ? tagsOfNotes(reader, workspace, among) : tagsOfWorkspace(reader, workspace),
  }
}

function* tagsOfWorkspace({ sql }: Reader, workspace: number): Generator<TaggedNotes> {
  const tags = 'SELECT id FROM tags WHERE workspace = ? ORDER BY id'
  const notes = 'SELECT json_group_array(note) FROM note_tags WHERE tag = ?'
  for (const tag of sql.column<number>(tags, workspace))
    yield { tag, notes: JSON.parse(sql.scalar<string>(notes, tag)) }
}

/** Number of note-tag pairs read at once. */
const PAIRS_AT_ONCE = 500_000

function* tagsOfNotes({ sql }: Reader, workspace: number, notes: readonly number[]): Generator<TaggedNotes> {
  const among = JSON.stringify(notes)
  const tags = sql.column<number>(
    `SELECT id FROM tags WHERE workspace = ? AND id IN (
       SELECT tag FROM note_tags INDEXED BY note_tags_note WHERE note IN (SELECT value FROM json_each(?)))
     ORDER BY id`,
    workspace,
    among,
  )
  const shown = new Set(tags)
  const step = Math.max(1, Math.floor(PAIRS_AT_ONCE / Math.max(1, notes.length)))
  for (let at = 0; at < tags.length; at += step) {
    const rows = sql.rows<[number, string]>(
      `SELECT tag, json_group_array(note) FROM note_tags INDEXED BY note_tags_note
       WHERE note IN (SELECT value FROM json_each(?)) AND tag BETWEEN ? AND ? GROUP BY tag ORDER BY tag`,
      among,
      tags[at] ?? 0,
      tags[Math.min(at + step, tags.length) - 1] ?? 0,
    )
    for (const [tag, tagged] of rows) if (shown.has(tag)) yield { tag, notes: JSON.parse(tagged) }
  }
}

const tagNames = ({ sql }: Reader, ids: readonly number[]) =>
  new Map(
    sql.rows<[number, string]>(
      'SELECT id, name FROM tags WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    ),
  )
