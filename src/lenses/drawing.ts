import type { LinkTarget, TaggedNotes } from '../notes/graph-sources.ts'
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

/** Draws a graph: two notes are joined once however often one links to the other, and none to itself. */
export function drawGraph(
  { notes, tags, links }: Material,
  { nodes: shown }: Pick<LensSettings, 'nodes'>,
  most = MAX_NODES,
): Drawing {
  const sheet = new Sheet()
  const noteOf = new Map(notes.map((pk) => [pk, sheet.node({ kind: 'note', pk })]))
  const inScope = (pks: readonly number[]) =>
    pks.map((pk) => noteOf.get(pk)).filter((node) => node !== undefined)
  for (const { tag, notes: tagged } of tags) {
    for (const from of inScope(tagged)) sheet.join(from, sheet.tagNode(tag), 'tag')
  }
  for (const { target, note, linking } of links) {
    if (note === null && !shown.dangling) continue
    const goal = note === null ? () => sheet.danglingNode(target) : () => noteOf.get(note)
    for (const from of inScope(linking)) sheet.join(from, goal(), 'link')
  }
  return sheet.drawing(shown.orphans, most)
}

/** Above every rank: a pair of ranks is one exact number. */
const RANKS = 2 ** 26

const KINDS: readonly DrawnEdge['kind'][] = ['link', 'tag']

class Sheet {
  readonly #nodes: DrawnNode[] = []
  readonly #edges: DrawnEdge[] = []
  readonly #joined = new Set<number>()
  readonly #tags = new Map<number, DrawnNode>()
  readonly #dangling = new Map<string, DrawnNode>()

  node(of: NodeOf): DrawnNode {
    const node = { of, rank: this.#nodes.length, degree: 0 }
    this.#nodes.push(node)
    return node
  }

  tagNode(tag: number): DrawnNode {
    const node = this.#tags.get(tag) ?? this.node({ kind: 'tag', tag })
    this.#tags.set(tag, node)
    return node
  }

  danglingNode(target: string): DrawnNode {
    const node = this.#dangling.get(target) ?? this.node({ kind: 'dangling', target })
    this.#dangling.set(target, node)
    return node
  }

  join(from: DrawnNode, to: DrawnNode | undefined, kind: DrawnEdge['kind']): void {
    if (!to || from === to) return
    const pair = from.rank * RANKS + to.rank
    if (this.#joined.has(pair)) return
    this.#joined.add(pair)
    this.#edges.push({ from, to, kind })
    from.degree += 1
    to.degree += 1
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
