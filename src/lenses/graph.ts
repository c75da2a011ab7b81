import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { QueryPlan, WorkerQuery } from '../db/worker/client.ts'
import type { CheckedTree } from '../filter/tree/check.ts'
import { utcDay } from '../lib/dates.ts'
import { notesByTag, resolveLinks, tagNames, titlesOf } from '../notes/links/graph-sources.ts'
import { checkedTree } from '../notes/query/definitions.ts'
import { type Evaluation, evaluationOf, matchingNotes } from '../notes/query/evaluate.ts'
import { byId } from '../notes/query/filtered-scan.ts'
import { type Drawing, type DrawnNode, drawGraph, type NodeOf } from './layout.ts'
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

/** What a lens shows, ready to be drawn (contract, section 11). */
export interface Graph {
  nodes: GraphNode[]
  edges: GraphEdge[]
  truncated: boolean
}

/** Without `id`, the graph of the default lens; without any lens, the default settings over the whole workspace. */
export const graphOfLens = async (
  ctx: AppContext,
  { workspacePk }: Caller,
  id: string | undefined,
): Promise<Graph> => ctx.worker.run(graphRead, { workspacePk, id, today: utcDay(ctx.clock.now()) })

interface GraphQuestion {
  readonly workspacePk: number
  /** Of the lens; without it, the default one. */
  readonly id?: string
  /** The UTC day, `YYYY-MM-DD`. */
  readonly today: string
  /** Of so few notes the links are looked up one note after the other; of more, those of the workspace are read. */
  readonly few?: number
}

interface GraphPlan extends QueryPlan {
  readonly question: GraphQuestion
  readonly settings: LensSettings
  readonly evaluation: Evaluation
  readonly tree: CheckedTree
}

const FEW = 2_000
/** A note itself, its links and its tags, as a guess. */
const ROWS_PER_NOTE = 5

const NO_LENS = { scope: null, settings: DEFAULT_SETTINGS }

/**
 * Draws the graph of a lens, which is read here too: while the question waits for the worker, the lens may change,
 * and what it named be deleted. Listed in `heavy-reads.ts`.
 */
export const graphRead: WorkerQuery<GraphQuestion, GraphPlan, Graph> = {
  name: 'lenses.graph',
  plan: (reader, question) => {
    const { workspacePk: workspace, id, today } = question
    const lens = id === undefined ? findDefaultLens(reader, question) : getLens(reader, question, id)
    const { scope, settings } = lens ?? NO_LENS
    const tree = checkedTree(reader, workspace, scope, 'scope')
    const evaluation = evaluationOf(reader, workspace, today)
    const { rows, most } = evaluation.scales.weigh(tree)
    return { question, settings, evaluation, tree, rows: rows + most * ROWS_PER_NOTE }
  },
  run: (reader, { question, settings, evaluation, tree }) => {
    const { workspacePk: workspace, today, few = FEW } = question
    const notes = matchingNotes(reader, workspace, tree, today)
    const among = notes.length <= few ? notes : undefined
    const drawing = drawGraph(
      {
        notes: byId(evaluation, notes, 'asc'),
        tags: settings.layers.tags ? notesByTag(reader, workspace, among) : [],
        links: settings.layers.links ? resolveLinks(reader, workspace, among) : [],
      },
      settings,
    )
    return withNames(reader, drawing)
  },
}

/** Gives nodes their ids and titles, which only those that are drawn need. */
function withNames(reader: Reader, { nodes, edges, truncated }: Drawing): Graph {
  const kinds = nodes.map(({ of }) => of)
  const titles = titlesOf(
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
  if (value === undefined) throw new Error('a node of the graph is gone within one read')
  return value
}
