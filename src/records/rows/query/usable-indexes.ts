import { BoundedCache } from '../../../lib/bounded-cache.ts'
import type { Reader } from '../../../storage/reader.ts'
import {
  autoIndex,
  type IndexedColumn,
  indexedColumns,
  indexTargets,
  listAutoIndexes,
} from '../../structures/storage/auto-index.ts'
import type { RowIndex } from '../../structures/storage/row-index.ts'
import { uniqueIndexes } from '../../structures/storage/row-table-schema.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import type { Definition, StructureRow } from '../../structures/store.ts'

/* The indexes available to a query. */

/** An index by its columns, in entry order. Rows with equal values are in pk order. */
export interface UsableIndex {
  /** The name within the structure. */
  readonly name: string
  /** The name in the database. */
  readonly index: string
  readonly columns: readonly IndexedColumn[]
  /** A unique index holds text as written, so its order differs from that of lists. */
  readonly isUnique: boolean
}

/** Keyed by name; the text index is `*`. */
export type Indexes = ReadonlyMap<string, UsableIndex>

interface KnownIndexes {
  readonly definition: Definition
  readonly indexes: Indexes
}

const MAX_KNOWN = 1_000

/** By the structure and the names of its automatic indexes. */
const newKnown = () => new BoundedCache<string, KnownIndexes>(MAX_KNOWN)

/** The indexes of a structure with its own table: the definition's unique ones, and the automatic ones that are ready. */
export function usableIndexes(
  reader: Reader,
  { structure, definition }: { structure: StructureRow; definition: Definition },
): Indexes {
  const names = listAutoIndexes(reader, structure.pk)
  const key = `${structure.pk} ${names.join(' ')}`
  const all = reader.sql.state.of(newKnown)
  const known = all.get(key)
  if (known?.definition === definition) return known.indexes
  const indexes = indexesOf(structure, definition, names)
  all.set(key, { definition, indexes })
  return indexes
}

function indexesOf(structure: StructureRow, definition: Definition, names: readonly string[]): Indexes {
  const unique = uniqueIndexes(structure, definition).map(usableUnique)
  const automatic = names.flatMap((name) => usableAuto(structure.pk, definition, name) ?? [])
  return new Map([...unique, ...automatic].map((index) => [index.name, index]))
}

function usableUnique({ name, expressions }: RowIndex): UsableIndex {
  const columns = expressions.map((column) => ({ column, key: column, written: undefined }))
  return { name, index: name, columns, isUnique: true }
}

/** Undefined if the definition lacks the columns of the index. */
function usableAuto(structurePk: number, definition: Definition, name: string): UsableIndex | undefined {
  if (name === TEXT_INDEX) return { name, index: '', columns: [], isUnique: false }
  const targets = indexTargets(definition, name)
  if (!targets) return undefined
  const index = autoIndex(structurePk, targets).name
  return { name, index, columns: indexedColumns(targets), isUnique: false }
}
