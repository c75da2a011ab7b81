import type { Caller } from '../../../context.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { findStructureByPk, getStructure, type StructureRow } from '../../structures/store.ts'
import { type RowWriter, rowWriter } from './row-writer.ts'

/**
 * The row writers of a transaction, one per structure. A call that writes many rows shares them, so that each structure
 * is read once and its listeners are notified once.
 */
export class RowWriters {
  readonly #writers = new Map<number, RowWriter>()
  /** Keyed by the id or name that a call gave. */
  readonly #named = new Map<string, RowWriter>()

  constructor(
    readonly tx: Tx,
    readonly caller: Caller,
  ) {}

  /** The writer for rows of a structure; undefined for one that the caller may not see. */
  find(structurePk: number): RowWriter | undefined {
    const known = this.#writers.get(structurePk)
    if (known) return known
    const structure = findStructureByPk(this.tx, this.caller, structurePk)
    return structure && this.#add(structure)
  }

  /** The writer for new rows of a structure; refuses a structure to which the caller may not add rows. */
  named(nameOrId: string): RowWriter {
    const known = this.#named.get(nameOrId)
    if (known) return known
    const structure = getStructure(this.tx, this.caller, nameOrId, 'add')
    const writer = this.#writers.get(structure.pk) ?? this.#add(structure)
    this.#named.set(nameOrId, writer)
    return writer
  }

  #add(structure: StructureRow): RowWriter {
    const writer = rowWriter(this.tx, this.caller, structure)
    this.#writers.set(structure.pk, writer)
    return writer
  }
}
