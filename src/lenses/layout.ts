import type { LinkTarget } from '../notes/links/resolve.ts'
import type { LensSettings } from './settings.ts'

export const NODE_KINDS = ['note', 'tag', 'dangling'] as const

/** The most nodes that a graph has; the best connected are kept. */
export const MAX_NODES = 5_000

/** A note by its pk, a tag by its id, or the target of unresolved links. */
export type NodeOf =
  | { readonly kind: 'note'; readonly pk: number }
  | { readonly kind: 'tag'; readonly tag: number }
  | { readonly kind: 'dangling'; readonly target: string }

export interface DrawnNode {
  readonly of: NodeOf
  /** Its position among nodes of the same degree. */
  readonly rank: number
  /** How many different edges it has, including those to nodes that were left out. */
  degree: number
}

export interface DrawnEdge {
  readonly from: DrawnNode
  readonly to: DrawnNode
  readonly kind: 'link' | 'tag'
}

export interface Drawing {
  /** The best connected first; of equal degree notes, then tags, then dangling targets, each in the order of the input. */
  readonly nodes: readonly DrawnNode[]
  /** Links before tags, each in the order of their nodes in the input. */
  readonly edges: readonly DrawnEdge[]
  /** Whether nodes were left out because there are too many. */
  readonly truncated: boolean
}

/** The notes that have a tag, trashed ones too. */
export interface TaggedNotes {
  readonly tag: number
  readonly notes: readonly number[]
}

/** What a graph is drawn from. Links and tags of notes that are not in scope are ignored. */
export interface GraphSources {
  /** The pks of the notes in scope. */
  readonly notes: readonly number[]
  readonly tags: readonly TaggedNotes[]
  readonly links: readonly LinkTarget[]
}

/** Draws a graph: two nodes are joined once, however often and by whichever name one links to the other. */
export function drawGraph(
  { notes, tags, links }: GraphSources,
  { nodes: shown }: Pick<LensSettings, 'nodes'>,
  limit = MAX_NODES,
): Drawing {
  const graph = new GraphBuilder(notes)
  for (const { tag, notes: tagged } of tags) graph.join(tagged, { kind: 'tag', tag })
  // Several targets may mean one note, or differ only in blanks around them.
  for (const [goal, same] of Map.groupBy(links, ({ note, target }) => note ?? target)) {
    const linking = [...new Set(same.flatMap((link) => link.linking))]
    if (typeof goal === 'number') graph.join(linking, { kind: 'note', pk: goal })
    else if (shown.dangling) graph.join(linking, { kind: 'dangling', target: goal })
  }
  return graph.drawing(shown.orphans, limit)
}

const KINDS: readonly DrawnEdge['kind'][] = ['link', 'tag']

class GraphBuilder {
  readonly #nodes: DrawnNode[] = []
  readonly #edges: DrawnEdge[] = []
  readonly #notes: ReadonlyMap<number, DrawnNode>

  constructor(notes: readonly number[]) {
    this.#notes = new Map(notes.map((pk) => [pk, this.#add({ kind: 'note', pk })]))
  }

  /** Joins the notes that are in scope to a node. Called once for each node; a note is not joined to itself. */
  join(pks: readonly number[], goal: NodeOf): void {
    const notes = pks.map((pk) => this.#notes.get(pk)).filter((note) => note !== undefined)
    if (notes.length === 0) return
    const to = goal.kind === 'note' ? this.#notes.get(goal.pk) : this.#add(goal)
    if (!to) return
    const kind = goal.kind === 'tag' ? 'tag' : 'link'
    for (const from of notes) {
      if (from === to) continue
      this.#edges.push({ from, to, kind })
      from.degree += 1
      to.degree += 1
    }
  }

  #add(of: NodeOf): DrawnNode {
    const node = { of, rank: this.#nodes.length, degree: 0 }
    this.#nodes.push(node)
    return node
  }

  drawing(withOrphans: boolean, limit: number): Drawing {
    const drawable = withOrphans ? this.#nodes : this.#nodes.filter(({ degree }) => degree > 0)
    const ordered = drawable.toSorted((left, right) => right.degree - left.degree || left.rank - right.rank)
    const nodes = ordered.slice(0, limit)
    const kept = new Set(nodes)
    const edges = this.#edges.filter(({ from, to }) => kept.has(from) && kept.has(to))
    edges.sort(
      (left, right) =>
        KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind) ||
        left.from.rank - right.from.rank ||
        left.to.rank - right.to.rank,
    )
    return { nodes, edges, truncated: ordered.length > limit }
  }
}
