import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { QueryPlan, WorkerQuery } from '../db/worker/client.ts'
import type { CheckedTree } from '../filter/tree/check.ts'
import { utcDay } from '../lib/dates.ts'
import { listLinkTargets } from '../notes/links/resolve.ts'
import { type Evaluation, evaluationOf, matchingNotes } from '../notes/query/evaluate.ts'
import { checkedTree } from '../notes/query/filter-trees.ts'
import { byId } from '../notes/query/pages.ts'
import { loadTitles } from '../notes/store.ts'
import { type Drawing, type DrawnNode, drawGraph, type NodeOf, type TaggedNotes } from './layout.ts'
import { findDefaultLens, getLens } from './service.ts'
import { DEFAULT_SETTINGS, type LensSettings } from './settings.ts'

export interface GraphNode {
  id: string
  title: string
  kind: NodeOf['kind']
  degree: number
}

export interface GraphEdge {
  from: string
  to: string
  kind: 'link' | 'tag'
}

/** What a lens shows. */
export interface Graph {
  nodes: GraphNode[]
  edges: GraphEdge[]
  truncated: boolean
}

/** Without `id`, the graph of the default lens; without any lens, the default settings over the whole workspace. */
export const graphOfLens = async (
  ctx: AppContext,
  caller: Caller,
  id: string | undefined,
): Promise<Graph> => {
  const today = utcDay(ctx.clock.now())
  return ctx.worker.run(graphRead, { workspacePk: caller.workspacePk, id, today }, caller)
}

interface GraphInput {
  readonly workspacePk: number
  /** The id of the lens; without it, the default lens. */
  readonly id?: string
  /** The UTC day, `YYYY-MM-DD`. */
  readonly today: string
  /** Up to this many notes, only their own links and tags are read; of more notes, all of the workspace. */
  readonly lookupLimit?: number
}

interface GraphPlan extends QueryPlan {
  readonly input: GraphInput
  readonly settings: LensSettings
  readonly evaluation: Evaluation
  readonly tree: CheckedTree
}

const LOOKUP_LIMIT = 2_000
/** An estimate: the note itself, its links and its tags. */
const ROWS_PER_NOTE = 5

const NO_LENS = { scope: null, settings: DEFAULT_SETTINGS }

/**
 * Draws the graph of a lens. The lens is read in the same state of the database as the notes: while the request waits for
 * the worker, the lens may change and what it refers to may be deleted.
 */
export const graphRead: WorkerQuery<GraphInput, GraphPlan, Graph> = {
  name: 'lenses.graph',
  plan: (reader, input) => {
    const { workspacePk: workspace, id, today } = input
    const lens = id === undefined ? findDefaultLens(reader, input) : getLens(reader, input, id)
    const { scope, settings } = lens ?? NO_LENS
    const tree = checkedTree(reader, workspace, scope, 'scope')
    const evaluation = evaluationOf(reader, workspace, today)
    const { rows, maxMatches } = evaluation.estimator.estimate(tree)
    return { input, settings, evaluation, tree, cost: rows + maxMatches * ROWS_PER_NOTE }
  },
  run: (reader, { input, settings, evaluation, tree }) => {
    const { workspacePk: workspace, today, lookupLimit = LOOKUP_LIMIT } = input
    const notes = matchingNotes(reader, workspace, tree, today)
    const among = notes.length <= lookupLimit ? notes : undefined
    const drawing = drawGraph(
      {
        notes: byId(evaluation, notes, 'asc'),
        tags: settings.layers.tags ? notesByTag(reader, workspace, among) : [],
        links: settings.layers.links ? listLinkTargets(reader, workspace, among) : [],
      },
      settings,
    )
    return withNames(reader, drawing)
  },
}

/** Adds ids and titles, which are read only for the nodes that are drawn. */
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
    nodes: nodes.map((node) => ({ ...known(named, node), kind: node.of.kind, degree: node.degree })),
    edges: edges.map(({ from, to, kind }) => ({ from: idOf(from), to: idOf(to), kind })),
    truncated,
  }
}

function known<Key, Value>(values: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = values.get(key)
  if (value === undefined) throw new Error('a node of the graph disappeared during one read')
  return value
}

/** Tags by id, with the notes that have them; with `among`, of these notes alone. */
function notesByTag({ sql }: Reader, workspace: number, among?: readonly number[]): TaggedNotes[] {
  const rows = among
    ? sql.rows<[number, string]>(
        `SELECT tag, json_group_array(note) FROM note_tags INDEXED BY note_tags_note
         WHERE note IN (SELECT value FROM json_each(?)) GROUP BY tag
         HAVING (SELECT is_removed FROM tags WHERE id = tag) = 0 ORDER BY tag`,
        JSON.stringify(among),
      )
    : sql.rows<[number, string]>(
        `SELECT id, (SELECT json_group_array(note) FROM note_tags WHERE tag = t.id) FROM tags t
         WHERE workspace = ? AND is_removed = 0 ORDER BY id`,
        workspace,
      )
  return rows.map(([tag, notes]) => ({ tag, notes: JSON.parse(notes) }))
}

/** Names by id. */
const tagNames = ({ sql }: Reader, ids: readonly number[]) =>
  new Map(
    sql.rows<[number, string]>(
      'SELECT id, name FROM tags WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    ),
  )
