import type { LinkTarget, TaggedNotes } from '../notes/links/graph-sources.ts'
import type { LensSettings } from './settings.ts'

export const NODE_KINDS = ['note', 'tag', 'dangling'] as const

/** At most so many nodes are drawn. */
export const MAX_NODES = 5_000

/** A note by its pk, a tag by its id, or a target that means no note. */
export type NodeOf =
  | { readonly kind: 'note'; readonly pk: number }
  | { readonly kind: 'tag'; readonly tag: number }
  | { readonly kind: 'dangling'; readonly target: string }

export interface DrawnNode {
  readonly of: NodeOf
  /** Where it stands among nodes of one degree. */
  readonly rank: number
  /** How many different edges it has, those to nodes left out included. */
  degree: number
}

export interface DrawnEdge {
  readonly from: DrawnNode
  readonly to: DrawnNode
  readonly kind: 'link' | 'tag'
}

export interface Drawing {
  /** The best connected first; of equal ones notes, then tags, then dangling targets, each in the order handed in. */
  readonly nodes: readonly DrawnNode[]
  /** Links before tags, each in the order in which their nodes were handed in. */
  readonly edges: readonly DrawnEdge[]
  /** Whether nodes were left out because they are too many. */
  readonly truncated: boolean
}

/** What a graph is drawn from; whatever is no note in scope is passed over. */
export interface Material {
  /** The pks of the notes in scope. */
  readonly notes: readonly number[]
  readonly tags: readonly TaggedNotes[]
  readonly links: readonly LinkTarget[]
}

/** Draws a graph: two nodes are joined once, however often and by whatever name a note links to the other. */
export function drawGraph(
  { notes, tags, links }: Material,
  { nodes: shown }: Pick<LensSettings, 'nodes'>,
  most = MAX_NODES,
): Drawing {
  const sheet = new Sheet(notes)
  for (const { tag, notes: tagged } of tags) sheet.join(tagged, { kind: 'tag', tag })
  // Several targets may mean one note, or be one but for blanks.
  for (const [goal, same] of Map.groupBy(links, ({ note, target }) => note ?? target)) {
    const linking = [...new Set(same.flatMap((link) => link.linking))]
    if (typeof goal === 'number') sheet.join(linking, { kind: 'note', pk: goal })
    else if (shown.dangling) sheet.join(linking, { kind: 'dangling', target: goal })
  }
  return sheet.drawing(shown.orphans, most)
}

const KINDS: readonly DrawnEdge['kind'][] = ['link', 'tag']

class Sheet {
  readonly #nodes: DrawnNode[] = []
  readonly #edges: DrawnEdge[] = []
  readonly #notes: ReadonlyMap<number, DrawnNode>

  constructor(notes: readonly number[]) {
    this.#notes = new Map(notes.map((pk) => [pk, this.#add({ kind: 'note', pk })]))
  }

  /** Joins those of the notes that are in scope to a node, once for each node; a note is not joined to itself. */
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

  drawing(withOrphans: boolean, most: number): Drawing {
    const drawable = withOrphans ? this.#nodes : this.#nodes.filter(({ degree }) => degree > 0)
    const ordered = drawable.toSorted((left, right) => right.degree - left.degree || left.rank - right.rank)
    const nodes = ordered.slice(0, most)
    const kept = new Set(nodes)
    const edges = this.#edges.filter(({ from, to }) => kept.has(from) && kept.has(to))
    edges.sort(
      (left, right) =>
        KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind) ||
        left.from.rank - right.from.rank ||
        left.to.rank - right.to.rank,
    )
    return { nodes, edges, truncated: ordered.length > most }
  }
}
