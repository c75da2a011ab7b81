import type { LinkTarget } from '../links/resolve-target.ts'
import type { LensSettings } from './schema.ts'

export const NODE_KINDS = ['note', 'tag', 'dangling'] as const

/** Maximum number of nodes in a graph; the best connected are selected. */
export const MAX_NODES = 5_000

/** Maximum number of edges in a graph: links first, and within each kind those of the oldest notes. */
const MAX_EDGES = 20_000

/** A note by its pk, a tag by its id, or the target of unresolved links. */
export type NodeOf =
  | { readonly kind: 'note'; readonly pk: number }
  | { readonly kind: 'tag'; readonly tag: number }
  | { readonly kind: 'dangling'; readonly target: string }

export interface DrawnNode {
  readonly of: NodeOf
  /** Its position among nodes of the same degree. */
  readonly rank: number
  /** The number of its distinct edges, including those to omitted nodes. */
  degree: number
}

interface DrawnEdge {
  readonly from: DrawnNode
  readonly to: DrawnNode
  readonly kind: 'link' | 'tag'
}

export interface Drawing {
  /**
   * Sorted by degree, best connected first. Equal degrees sort notes, then tags, then dangling targets, each in input
   * order.
   */
  readonly nodes: readonly DrawnNode[]
  /** Links before tags, each in the input order of their nodes. */
  readonly edges: readonly DrawnEdge[]
  /** Whether nodes or edges were omitted because there are too many. */
  readonly truncated: boolean
}

/** The notes with a tag, including trashed ones. */
export interface TaggedNotes {
  readonly tag: number
  readonly notes: readonly number[]
}

/** The data of a graph. Links and tags of notes outside the scope are ignored. */
interface GraphSources {
  /** The pks of the notes in scope. */
  readonly notes: readonly number[]
  /** Iterated twice, so the tags need not all be in memory. */
  readonly tags: Iterable<TaggedNotes>
  readonly links: readonly LinkTarget[]
}

/** Draws a graph. Two nodes are joined at most once, however often and by whichever name one links to the other. */
export function drawGraph(
  sources: GraphSources,
  { nodes: shown }: Pick<LensSettings, 'nodes'>,
  maxNodes = MAX_NODES,
  maxEdges = MAX_EDGES,
): Drawing {
  const graph = new GraphBuilder(sources.notes)
  const goals = goalsOf(sources.links)
  const joins = () => allJoins(sources.tags, goals, shown.dangling)
  for (const { pks, goal } of joins()) graph.count(pks, goal)
  const { nodes, isCut } = graph.bestConnected(shown.orphans, maxNodes)
  const edges = new FirstEdges(maxEdges)
  const kept = new Set(nodes)
  for (const { pks, goal } of joins()) graph.join(pks, goal, kept, edges)
  return { nodes, edges: edges.sorted(), truncated: isCut || edges.isCut }
}

/** Notes joined to a node. */
interface Join {
  readonly pks: readonly number[]
  readonly goal: NodeOf
}

/** Links by destination. Several targets may mean one note, or differ only in surrounding blanks. */
const goalsOf = (links: readonly LinkTarget[]) => Map.groupBy(links, ({ note, target }) => note ?? target)

/** Every node once, with the notes joined to it. */
function* allJoins(
  tags: Iterable<TaggedNotes>,
  goals: ReturnType<typeof goalsOf>,
  withDangling: boolean,
): Generator<Join> {
  for (const { tag, notes } of tags) yield { pks: notes, goal: { kind: 'tag', tag } }
  for (const [goal, same] of goals) {
    const pks = [...new Set(same.flatMap((link) => link.linking))]
    if (typeof goal === 'number') yield { pks, goal: { kind: 'note', pk: goal } }
    else if (withDangling) yield { pks, goal: { kind: 'dangling', target: goal } }
  }
}

const KINDS: readonly DrawnEdge['kind'][] = ['link', 'tag']

const keyOf = (goal: NodeOf): number | string =>
  goal.kind === 'tag' ? goal.tag : 'target' in goal ? goal.target : 0

/** Counts the edges of every node first, then creates edges only between the selected nodes. */
class GraphBuilder {
  readonly #nodes: DrawnNode[] = []
  readonly #notes: ReadonlyMap<number, DrawnNode>
  /** Tags by id, and dangling targets by text. */
  readonly #others = new Map<number | string, DrawnNode>()

  constructor(notes: readonly number[]) {
    this.#notes = new Map(notes.map((pk) => [pk, this.#add({ kind: 'note', pk })]))
  }

  /** Counts the edges from the notes in scope to a node; a note is not joined to itself. */
  count(pks: readonly number[], goal: NodeOf): void {
    const to = goal.kind === 'note' ? this.#notes.get(goal.pk) : undefined
    let joined = 0
    for (const pk of pks) {
      const from = this.#notes.get(pk)
      if (!from || from === to || (goal.kind === 'note' && !to)) continue
      from.degree += 1
      joined += 1
    }
    if (to) to.degree += joined
    else if (joined > 0) this.#addOther(goal).degree = joined
  }

  /** Adds the same edges, limited to those between `kept` nodes. */
  join(pks: readonly number[], goal: NodeOf, kept: ReadonlySet<DrawnNode>, edges: FirstEdges): void {
    const to = goal.kind === 'note' ? this.#notes.get(goal.pk) : this.#others.get(keyOf(goal))
    if (!to || !kept.has(to)) return
    const kind = goal.kind === 'tag' ? 'tag' : 'link'
    for (const pk of pks) {
      const from = this.#notes.get(pk)
      if (from && from !== to && kept.has(from)) edges.add({ from, to, kind })
    }
  }

  bestConnected(withOrphans: boolean, limit: number): { nodes: DrawnNode[]; isCut: boolean } {
    const drawable = withOrphans ? this.#nodes : this.#nodes.filter(({ degree }) => degree > 0)
    const ordered = drawable.toSorted((left, right) => right.degree - left.degree || left.rank - right.rank)
    return { nodes: ordered.slice(0, limit), isCut: ordered.length > limit }
  }

  #addOther(of: NodeOf): DrawnNode {
    const node = this.#add(of)
    this.#others.set(keyOf(of), node)
    return node
  }

  #add(of: NodeOf): DrawnNode {
    const node = { of, rank: this.#nodes.length, degree: 0 }
    this.#nodes.push(node)
    return node
  }
}

const compareEdges = (left: DrawnEdge, right: DrawnEdge): number =>
  KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind) ||
  left.from.rank - right.from.rank ||
  left.to.rank - right.to.rank

/** The first edges in order, from any number of edges; never holds more than twice the limit. */
class FirstEdges {
  #edges: DrawnEdge[] = []
  /** Set after an overflow: edges after this one are omitted. */
  #last: DrawnEdge | undefined
  isCut = false

  constructor(private readonly limit: number) {}

  add(edge: DrawnEdge): void {
    if (this.#last && compareEdges(edge, this.#last) > 0) return
    this.#edges.push(edge)
    if (this.#edges.length > 2 * this.limit) this.#cut()
  }

  sorted(): readonly DrawnEdge[] {
    this.#cut()
    return this.#edges
  }

  #cut(): void {
    this.#edges.sort(compareEdges)
    if (this.#edges.length <= this.limit) return
    this.#edges.length = this.limit
    this.#last = this.#edges.at(-1)
    this.isCut = true
  }
}
