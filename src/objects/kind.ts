import type { TSchema } from '@sinclair/typebox'
import { getTableName } from 'drizzle-orm'
import type { Caller, InWorkspace } from '../context.ts'
import type { AnyRow, ObjectKind } from '../log/objects/objects.ts'
import type { Reader } from '../storage/reader.ts'
import type { ChangeKind } from '../storage/schema/changes.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import type { Copy } from './copy.ts'
import { parseExported, restoreUpdatedAt, txForOriginal } from './exported.ts'

/*
 * Each kind of object declares here, once, how it is used outside its own endpoints. The feed and the snapshot read the
 * objects, an export and an import of a workspace move them, and a mirror copies them. `kinds.ts` lists the kinds.
 *
 * Objects come back in three modes, which differ in the rules that apply:
 *
 * - import (`file.create`): creates an object as the API does, with its old id and times, and logs the creation;
 * - copy (`write`, `remove`): writes the state that another database has, which need not satisfy the rules at every
 *   moment, without logging;
 * - undo and apply (`writer.ts`): bring notes and records to a state under the rules of the API, with events.
 */

/** The reader of objects; without a user, it also sees the private objects of users. */
export interface ObjectReader extends InWorkspace {
  readonly userId?: string
  /** Whether notes have `edited_at`. */
  readonly isEdited?: boolean | undefined
}

/** The storage and reading of a kind's objects. */
export interface KindReading {
  /** The table of the objects, and the column that orders them; by default `pk`. */
  readonly table: string
  readonly pkColumn?: 'id'
  /** A condition on the objects visible to a reader; by default all. */
  readonly isVisible?: string
  /** SQL for the label of an object. */
  readonly label?: string
  /** The object as an individual read returns it; undefined if it is purged, trashed or deleted. */
  find(reader: Reader, caller: ObjectReader, id: string): object | undefined
}

/** Writes the objects of a kind to a copy; `Shown` is their format in responses. */
export interface KindCopying<Shown = never> {
  readonly kind: ChangeKind
  /** Deletes the objects that no longer exist on the remote, if the copy has them. */
  remove(copy: Copy, ids: Iterable<string>): void
  /** Clears the unique values of an object before any object is written. */
  setAside?(copy: Copy, id: string): void
  /** Writes an object, without references to deleted objects. */
  write(copy: Copy, object: Shown, structureId: string | null): void
  /** Called when all objects of the kind are written. */
  finish?(copy: Copy): void
}

/** The destination of an import. */
export interface ImportDestination {
  readonly tx: Tx
  readonly caller: Caller
  /** The ids of tags in this database, by their exported ids. */
  readonly tags: Map<number, number>
  /** The new secrets of imported webhooks: the old secrets are not exported. */
  readonly secrets: NewWebhookSecret[]
  /** Called when everything is created. */
  readonly finish: (() => void)[]
}

/** An imported webhook with its new secret. */
export interface NewWebhookSecret {
  readonly id: string
  readonly url: string
  readonly secret: string
}

/** How the objects of a kind are exported to their JSON file and imported from it. */
export interface ObjectFile {
  /** The name of the file without extension, and of the kind in reports. */
  readonly name: string
  list(reader: Reader, caller: Caller): readonly object[]
  /** Creates an object from the exported one. */
  create(to: ImportDestination, value: unknown): void
}

export interface RestoredKind<Shown = never> extends KindReading, KindCopying<Shown> {}

export interface FiledKind<Shown = never> extends RestoredKind<Shown> {
  readonly file: ObjectFile
}

interface FileDeclaration<Row, Shown, Input> {
  readonly name: string
  /** The schema of an exported object without its id and times. */
  readonly schema: TSchema
  create(to: ImportDestination, input: Input): void
  /** The exported object: by default the shown one, without attributes that follow from others or from the order. */
  exported?(shown: Shown, row: Row): object
  /** Whether to sort oldest first instead of keeping the shown order. */
  readonly isByAge?: boolean
}

interface Declaration<Row, Shown, Input> extends Partial<Pick<KindReading, 'label' | 'find'>> {
  readonly file: FileDeclaration<Row, Shown, Input>
  /**
   * For a copy: the columns that no shown attribute determines, or nothing if the object cannot be placed. By default
   * none.
   */
  columns?(copy: Copy, shown: Shown): Partial<Row> | undefined
  /** For a copy: writes rows of other tables. */
  writeOthers?(copy: Copy, pk: number, shown: Shown): void
}

/** Everything about a kind that `objectKind` declares. */
export function filedKind<Row extends AnyRow, Shown extends object, Input>(
  kind: ObjectKind<Row, Shown>,
  { file, label, find = kind.find, columns = () => ({}), writeOthers }: Declaration<Row, Shown, Input>,
): FiledKind<Shown & Pick<AnyRow, 'id'>> {
  return {
    kind: kind.kind,
    table: getTableName(kind.table),
    ...(label !== undefined && { label }),
    find,
    file: objectFile(kind, file),
    remove: ({ tx }, ids) => {
      for (const id of ids) kind.remove(tx, id)
    },
    setAside: ({ tx }, id) => kind.setAside(tx, id),
    write: (copy, shown) => {
      const own = columns(copy, shown)
      if (!own) return
      const pk = kind.put(copy.tx, copy.workspacePk, shown, own)
      writeOthers?.(copy, pk, shown)
    },
  }
}

const objectFile = <Row extends AnyRow, Shown extends object, Input>(
  kind: ObjectKind<Row, Shown>,
  { name, schema, create, exported = (shown) => shown, isByAge = false }: FileDeclaration<Row, Shown, Input>,
): ObjectFile => ({
  name,
  list: (reader, caller) => {
    const rows = kind.rows(reader, caller.workspacePk)
    if (isByAge) rows.sort((left, right) => (left.id < right.id ? -1 : 1))
    const isOwn = ([attribute]: [string, unknown]) =>
      attribute !== 'position' && !kind.derived.includes(attribute)
    return rows.map((row) => {
      const own = Object.entries(kind.present(row, reader)).filter(isOwn)
      return exported(Object.fromEntries(own) as Shown, row)
    })
  },
  create: (to, value) => {
    const original = parseExported<Input>(value, schema)
    create({ ...to, tx: txForOriginal(to.tx, original) }, original.input)
    // Objects that are created later may change it.
    to.finish.push(() => restoreUpdatedAt(to.tx, kind.table, original))
  },
})
