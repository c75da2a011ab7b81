import type { RecordState } from '../changes/record-change.ts'

/** A row before and after a write; null where it was not live. */
export interface RowVersions {
  readonly before: RecordState | null
  readonly after: RecordState | null
}

/** What one transaction wrote of one structure, in order. */
export interface RowWrites {
  readonly structurePk: number
  /** The definition in force; compared by identity. */
  readonly definition: object
  /** The structure's change counter before and after. */
  readonly from: number
  readonly to: number
  readonly rows: readonly RowVersions[]
  /** The characters of the rows as JSON, together. */
  readonly size: number
}

/** More would take longer to go through than the rows take to be counted again, or too much memory. */
const MAX_ROWS = 500
const MAX_SIZE = 500_000
const MAX_STRUCTURES = 100

/** Writes that follow each other without a gap. */
interface Chain {
  readonly definition: object
  readonly writes: RowWrites[]
  rows: number
  size: number
}

/**
 * The latest committed writes of this process, by structure: with them a total that was counted is brought up to date
 * instead of being counted again. Only structures whose totals were asked for are followed. A gap in the change
 * counters, such as a write by another process, or a change of the definition, begins a new chain.
 */
export class RecentWrites {
  readonly #chains = new Map<number, Chain | undefined>()

  /** From now on the writes of the structure are collected. */
  follow(structurePk: number): void {
    if (this.#chains.has(structurePk)) return
    if (this.#chains.size >= MAX_STRUCTURES) this.#chains.clear()
    this.#chains.set(structurePk, undefined)
  }

  /** To be called after the commit, in the order of the writes. */
  add(write: RowWrites): void {
    const { structurePk, definition, from, to } = write
    if (from === to || !this.#chains.has(structurePk)) return
    const known = this.#chains.get(structurePk)
    const follows = known?.definition === definition && known.writes.at(-1)?.to === from
    const chain = known && follows ? known : { definition, writes: [], rows: 0, size: 0 }
    this.#chains.set(structurePk, chain)
    chain.writes.push(write)
    chain.rows += write.rows.length
    chain.size += write.size
    while (chain.rows > MAX_ROWS || chain.size > MAX_SIZE) dropOldest(chain)
  }

  /** The rows written between two values of the change counter; undefined if they are not all known. */
  between(
    { structurePk, definition }: Pick<RowWrites, 'structurePk' | 'definition'>,
    from: number,
    to: number,
  ): RowVersions[] | undefined {
    const chain = this.#chains.get(structurePk)
    if (chain?.definition !== definition) return undefined
    const first = chain.writes.findIndex((write) => write.from === from)
    const last = chain.writes.findLastIndex((write) => write.to === to)
    if (first === -1 || last < first) return undefined
    return chain.writes.slice(first, last + 1).flatMap(({ rows }) => rows)
  }
}

function dropOldest(chain: Chain): void {
  const oldest = chain.writes.shift()
  if (!oldest) return
  chain.rows -= oldest.rows.length
  chain.size -= oldest.size
}

const recentWrites = new WeakMap<object, RecentWrites>()

/** Lets those who read through `sql` see what is written with the bus. */
export function shareRecentWrites({ bus, db: { sql } }: { bus: object; db: { sql: object } }): void {
  const recent = new RecentWrites()
  recentWrites.set(bus, recent)
  recentWrites.set(sql, recent)
}

/** By the bus of the writers, or the connection of the readers; undefined where nothing is shared, as in a worker. */
export const recentWritesOf = (owner: object): RecentWrites | undefined => recentWrites.get(owner)
