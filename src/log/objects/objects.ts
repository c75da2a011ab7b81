import type { InWorkspace } from '../../context.ts'
import { isId } from '../../lib/ids.ts'
import { isSame } from '../../lib/patch.ts'
import { fail, notFound } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import type { Reader } from '../../storage/reader.ts'
import type { ChangeKind } from '../../storage/schema/changes.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { type ChangeAuthor, logChange, logShifts, logUpdate, type Shifted } from '../log.ts'
import { type OrderedTable, Positions } from './positions.ts'
import {
  columnsShown,
  type Fields,
  type ObjectTable,
  type RowOf,
  type Source,
  StoredObjects,
  writers,
} from './statements.ts'

/*
 * Kinds with few objects per workspace and the same endpoints: tags, properties, presets, views of notes and of rows,
 * lenses, Quick Access items, shares, sources. A kind declares its table and the presentation of an object. The rest
 * follows from the columns of the table:
 *
 * - `position`: the objects are ordered, and others shift when one is added, removed or moved;
 * - `isDefault`: at most one object is the default, and a new default replaces the old one;
 * - `createdAt`, `updatedAt`: the latter increases with every change.
 */

interface Declaration<Read extends Fields, Shown> extends Source<Read> {
  readonly kind: ChangeKind
  /** The noun in refusals, if it is not the kind. */
  readonly noun?: string
  /** Attributes that are derived or count something; their change alone does not count as a change. */
  readonly derived?: readonly (keyof Shown & string)[]
  /** The column whose value groups the ordered objects; by default the workspace. */
  readonly within?: string
  /** Attributes that may be long; the log names them without their old values. */
  readonly texts?: readonly string[]
  /** Attributes that are not shown. The log compares them, and names them without their values. */
  secrets?(row: RowOf<Read>): object
  /** The object in the format of responses. */
  present(row: RowOf<Read>, reader: Reader): Shown
}

export interface AnyRow {
  readonly id: string | number
  readonly pk?: number
  readonly position?: number
  readonly isDefault?: number
  /** The id of its structure, for the log. */
  readonly structureId?: string
}

/** A tag is identified by its number only. */
const pkOf = ({ pk, id }: AnyRow): number => pk ?? Number(id)

const isOrdered = (table: ObjectTable): table is ObjectTable & OrderedTable => table.position !== undefined

/** A name that no object can have. It prevents collisions while one object takes over the name of another. */
export const placeholderOf = (id: string | number): string => `\0${id}`

export const objectKind = <Read extends Fields, Shown extends object>(
  declaration: Declaration<Read, Shown>,
) => new ObjectKind<RowOf<Read> & AnyRow, Shown>(declaration as never)

interface WriteOptions<Shown> {
  /** The position in the order. New objects go to the end by default, and positions past the end mean the end. */
  readonly position?: number | undefined
  /** Data for undo that responses do not show. */
  readonly hidden?: object
  /** The object as previously shown, if rows of other tables have changed since. */
  readonly before?: Shown
}

export class ObjectKind<Row extends AnyRow, Shown extends object> extends StoredObjects<Row> {
  readonly kind: ChangeKind
  readonly table: ObjectTable
  readonly derived: readonly string[]
  readonly #texts: readonly string[]
  readonly #noun: string
  readonly positions: Positions | undefined
  readonly #within: string
  readonly present: (row: Row, reader: Reader) => Shown
  readonly #secrets: (row: Row) => object
  readonly #write: ReturnType<typeof writers>

  constructor({
    kind,
    noun = kind,
    derived = [],
    within = 'workspace',
    texts = [],
    secrets = () => ({}),
    present,
    ...source
  }: Declaration<Fields, Shown>) {
    super(source)
    const { table } = source
    this.kind = kind
    this.table = table
    this.derived = derived
    this.#texts = texts
    this.#noun = noun
    this.#within = within
    this.positions = isOrdered(table) ? new Positions(table, table[within as 'workspace']) : undefined
    this.present = present as typeof this.present
    this.#secrets = secrets as (row: Row) => object
    this.#write = writers(source)
  }

  get notFound() {
    return notFound(this.#noun)
  }

  /** All objects of a workspace in order, in the format of responses. */
  list = (reader: Reader, { workspacePk }: InWorkspace): Shown[] =>
    this.rows(reader, workspacePk).map((row) => this.present(row, reader))

  /** The object with this id, in the format of responses; undefined if it is deleted. */
  find = (reader: Reader, { workspacePk }: InWorkspace, id: string | number): Shown | undefined => {
    const row = this.findById(reader, workspacePk, id)
    return row && this.present(row, reader)
  }

  /** Finds an object by id, else by name ignoring case. */
  getRow(reader: Reader, { workspacePk }: InWorkspace, named: string): Row {
    const byId = isId(named) ? this.findById(reader, workspacePk, named) : undefined
    return byId ?? this.findByName(reader, workspacePk, fold(named)) ?? fail(this.notFound)
  }

  get(reader: Reader, caller: InWorkspace, named: string): Shown {
    return this.present(this.getRow(reader, caller, named), reader)
  }

  /** Yields objects one by one, because they may be long: all of a workspace, or those with these ids in it. */
  *each(
    reader: Reader,
    workspace: number,
    ids: readonly string[] = this.ids(reader, workspace),
  ): Generator<Row> {
    for (const id of ids) {
      const row = this.findById(reader, workspace, id)
      if (row) yield row
    }
  }

  /** The id and name of each object that uses another one: in the whole workspace, or among those with these ids. */
  usersOf(
    this: ObjectKind<Row & { readonly id: string; readonly name: string }, Shown>,
    reader: Reader,
    workspace: number,
    uses: (row: Row) => boolean,
    ids?: readonly string[],
  ): { id: string; name: string }[] {
    const users = this.each(reader, workspace, ids).filter(uses)
    return users.map(({ id, name }) => ({ id, name })).toArray()
  }

  /** Creates an object and logs it; joins the caller's transaction. Returns the shown object. */
  create(tx: Tx, author: ChangeAuthor, columns: Partial<Row>, options?: WriteOptions<Shown>): Shown {
    return this.present(this.insert(tx, author, columns, options), tx)
  }

  /** The same for an object with additional rows in other tables. */
  insert(
    tx: Tx,
    author: ChangeAuthor,
    columns: Partial<Row>,
    { position, hidden }: WriteOptions<Shown> = {},
  ): Row {
    const { workspacePk: workspace } = author
    const id = tx.newId()
    if (columns.isDefault === 1) this.#takeDefault(tx, author)
    const end = this.positions?.endOf(tx, this.#orderOf(columns, workspace))
    const row = { ...columns, ...this.#beginning(tx.now, end), id, workspace }
    const pk = this.#write.insert(tx, row)
    const shifted = this.#move(tx, workspace, { ...row, pk }, position)
    const inserted = this.#reread(tx, workspace, id)
    logChange(tx, author, this.#logged(inserted), 'created', { hidden })
    this.#logShifts(tx, author, inserted, shifted)
    return inserted
  }

  /** The value that groups an object's order. */
  #orderOf = (row: object, workspace: number): number =>
    (row as Readonly<Record<string, number>>)[this.#within] ?? workspace

  #logged = ({ id, structureId }: AnyRow) => ({
    kind: this.kind,
    id,
    ...(structureId !== undefined && { structureId }),
  })

  /** The default columns of every new object. */
  #beginning(now: number, end: number | undefined): object {
    const { createdAt, updatedAt } = this.table
    return {
      ...(createdAt && { createdAt: now }),
      ...(updatedAt && { updatedAt: now }),
      ...(end !== undefined && { position: end }),
    }
  }

  #reread = (reader: Reader, workspace: number, id: string | number): Row =>
    this.findById(reader, workspace, id) ?? fail(this.notFound)

  /** The storage columns for the members of a request (`columnsShown`); only the sent ones. */
  columnsOf = (sent: object): Partial<Row> =>
    columnsShown(this.table, sent, [...this.derived, 'position']) as Partial<Row>

  /** Changes the columns that differ and logs them; joins the caller's transaction. Returns the shown object. */
  update(
    tx: Tx,
    author: ChangeAuthor,
    row: Row,
    columns: Partial<Row>,
    { position, before }: WriteOptions<Shown> = {},
  ): Shown {
    const { workspacePk: workspace } = author
    const { id } = row
    const shifted = this.#move(tx, workspace, row, position)
    const now = this.present(row, tx)
    const differs = before !== undefined && JSON.stringify(before) !== JSON.stringify(now)
    if (!shifted && !differs && isSame(row, columns)) return now
    if (columns.isDefault === 1 && row.isDefault === 0) this.#takeDefault(tx, author)
    const { updatedAt } = this.table
    if (updatedAt || Object.keys(columns).length > 0)
      this.#write.update(tx, pkOf(row), columns, updatedAt && tx.now)
    const changed = this.#reread(tx, workspace, id)
    const after = this.present(changed, tx)
    const [old, secrets] = [this.#secrets(row), this.#secrets(changed)]
    const texts = [...this.#texts, ...Object.keys(secrets)]
    const logged = [
      { ...(before ?? now), ...old },
      { ...after, ...secrets },
    ] as const
    logUpdate(tx, author, this.#logged(row), ...logged, this.derived, texts)
    this.#logShifts(tx, author, row, shifted)
    return after
  }

  #move(tx: Tx, workspace: number, row: AnyRow, position: number | undefined): Shifted[] | undefined {
    if (position === undefined || row.position === undefined) return undefined
    const within = this.#orderOf(row, workspace)
    return this.positions?.move(tx, within, { pk: pkOf(row), position: row.position }, position)
  }

  /** Deletes an object and logs it; joins the caller's transaction. */
  delete(tx: Tx, author: ChangeAuthor, row: Row, { hidden }: WriteOptions<Shown> = {}): void {
    const before = () => JSON.stringify(this.present(row, tx))
    logChange(tx, author, this.#logged(row), 'deleted', { hidden, before })
    this.#write.delete(tx, pkOf(row))
    if (row.position === undefined) return
    const within = this.#orderOf(row, author.workspacePk)
    this.#logShifts(tx, author, row, this.positions?.closeGap(tx, within, row.position))
  }

  /**
   * Writes an object of another database from its shown form, with its id and times, without logging. `columns` are
   * those that cannot be derived from that form. Returns its pk.
   */
  put(tx: Tx, workspace: number, shown: Shown & Pick<AnyRow, 'id'>, columns: Partial<Row> = {}): number {
    const { id } = shown
    const known = this.findById(tx, workspace, id)
    const row = { ...columnsShown(this.table, shown, this.derived), ...columns }
    if (!known) return this.#write.insert(tx, { ...row, id, workspace })
    this.#write.update(tx, pkOf(known), row)
    return pkOf(known)
  }

  /** Clears an object's unique attributes, its name and default status, before other objects are `put`. */
  setAside(tx: Tx, id: string | number): void {
    this.#write.setAside?.(tx, id, placeholderOf(id))
  }

  /** Deletes an object, if it exists, without logging. */
  remove = (reader: Reader, id: string | number): void => void this.#write.deleteById(reader, id)

  #logShifts(tx: Tx, author: ChangeAuthor, by: AnyRow, shifted: readonly Shifted[] | undefined): void {
    if (!shifted) return
    logShifts(tx, author, this.kind, shifted, by.structureId ?? null, (index) => {
      const { id, before: position } = shifted[index] as Shifted
      return JSON.stringify(this.present({ ...this.#reread(tx, author.workspacePk, id), position }, tx))
    })
  }

  /** Clears the default of the workspace before another object becomes the default. */
  #takeDefault(tx: Tx, author: ChangeAuthor): void {
    const lost = this.#write.clearDefault?.(tx, author.workspacePk, tx.now)
    if (!lost) return
    const difference = { changed: ['is_default'], previous: { is_default: true } }
    logChange(tx, author, { kind: this.kind, id: lost.id as string }, 'updated', { difference })
  }
}
