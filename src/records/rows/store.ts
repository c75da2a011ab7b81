import type { InWorkspace } from '../../context.ts'
import { checkRowsRead, may } from '../../kernel/caller.ts'
import type { RecordData, RecordState } from '../../lib/record-data.ts'
import { notFound } from '../../lib/refusal.ts'
import type { Reader } from '../../storage/reader.ts'
import type { records } from '../../storage/schema/records.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { withFormulas } from '../structures/formulas.ts'
import { countChange, countInserts, insertLiveRows } from '../structures/storage/live-rows.ts'
import type { LiveRow } from '../structures/storage/row-table-schema.ts'
import { markForTextIndex } from '../structures/storage/text-index.ts'
import { definitionOf, type StructureRow } from '../structures/store.ts'

/** A row of the table `records`, which holds every record; live ones are also in their structure's row table. */
export type RecordRow = typeof records.$inferSelect

const COLUMNS = `r.pk, r.id, r.structure, r.data, r.created_at AS createdAt, r.updated_at AS updatedAt,
  r.deleted_at AS deletedAt`

/** A record by id, live or deleted, of any workspace. */
export const findRecord = ({ sql }: Reader, id: string): RecordRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM records r WHERE r.id = ?`, id)

export const findRecordByPk = ({ sql }: Reader, pk: number): RecordRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM records r WHERE r.pk = ?`, pk)

/** The same without its data, which may be long. */
export const findRecordHead = (
  { sql }: Reader,
  id: string,
): Pick<RecordRow, 'structure' | 'deletedAt'> | undefined =>
  sql.get('SELECT structure, deleted_at AS deletedAt FROM records WHERE id = ?', id)

/** The live records among these, of any workspace. */
export const findLiveRecords = ({ sql }: Reader, ids: readonly string[]): RecordRow[] =>
  sql.all(
    `SELECT ${COLUMNS} FROM records r
     WHERE r.id IN (SELECT value FROM json_each(?)) AND r.deleted_at IS NULL`,
    JSON.stringify(ids),
  )

/** The total size of these records, live or deleted, in bytes. They are not read for this. */
export const recordBytes = ({ sql }: Reader, ids: readonly string[]): number =>
  sql.scalar(
    'SELECT total(octet_length(data)) FROM records WHERE id IN (SELECT value FROM json_each(?))',
    JSON.stringify(ids),
  )

export interface FoundRecord extends RecordRow {
  structureId: string
  /** 1 if the structure has roll-ups. */
  hasRollups: number
}

/** The columns of a structure that reading a record needs. They change seldom. */
interface KnownStructure {
  readonly id: string
  readonly workspace: number
  readonly hasRollups: number
}

const knownStructure = ({ sql }: Reader, pk: number): KnownStructure | undefined =>
  sql.memoize(`structure ${pk}`, () =>
    sql.get<KnownStructure>(
      `SELECT id, workspace, instr(fields, '"rollup":') > 0 AS hasRollups FROM structures WHERE pk = ?`,
      pk,
    ),
  )

/** A live record of the caller's workspace. */
export function getRecord(reader: Reader, { workspacePk, rights }: InWorkspace, id: string): FoundRecord {
  const row = reader.sql.get<RecordRow>(
    `SELECT ${COLUMNS} FROM records r WHERE r.id = ? AND r.deleted_at IS NULL`,
    id,
  )
  const structure = row && knownStructure(reader, row.structure)
  if (!row || structure?.workspace !== workspacePk || !may(rights, structure.id, 'see'))
    throw notFound('record')
  checkRowsRead(rights, structure.id)
  return { ...row, structureId: structure.id, hasRollups: structure.hasRollups }
}

/** The id of a record, live or deleted, of any workspace. */
export const findRecordId = ({ sql }: Reader, pk: number): string | undefined =>
  sql.column<string>('SELECT id FROM records WHERE pk = ?', pk)[0]

/**
 * The records of a page, in the order of the given pks. The LIMIT keeps the list a subquery: with a plain join,
 * SQLite would prepare the statement again at every run.
 */
const PAGE = `SELECT ${COLUMNS} FROM (SELECT value FROM json_each(?) LIMIT -1) AS page
  CROSS JOIN records r ON r.pk = page.value`

export const loadRecords = ({ sql }: Reader, pks: readonly number[]): RecordRow[] =>
  sql.all(PAGE, JSON.stringify(pks))

/** The same one at a time, because records may be very long. */
export const eachRecord = ({ sql }: Reader, pks: readonly number[]): IterableIterator<RecordRow> =>
  sql.each(PAGE, JSON.stringify(pks))

/** A page ends early once it reaches this length, in characters. */
const MAX_PAGE_LENGTH = 64_000_000

/** The records of a page as `loadRecords` returns them; fewer if they are very long. */
export function loadPage(reader: Reader, pks: readonly number[]): RecordRow[] {
  const rows: RecordRow[] = []
  let length = 0
  for (const row of eachRecord(reader, pks)) {
    rows.push(row)
    length += row.data.length
    if (length >= MAX_PAGE_LENGTH) break
  }
  return rows
}

export const dataOf = (row: RecordRow): RecordData => JSON.parse(row.data) as RecordData

/** The record as a change carries it; `data` is the row's JSON text, parsed. */
export const stateOf = (row: RecordRow, data: RecordData): RecordState => ({
  id: row.id,
  data,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  deletedAt: row.deletedAt,
})

/** A row with parsed data. */
export interface RowVersion {
  readonly row: RecordRow
  readonly data: RecordData
}

const INSERT = `INSERT INTO records (id, structure, data, created_at, updated_at, deleted_at)
  VALUES (?, ?, ?, ?, ?, ?)`

/**
 * Inserts new records in this order into their table, the table of live rows, the text index and the counters, and sets
 * their pks. One prepared statement runs per row. Multi-row statements measured half as long again, because SQLite
 * stores their changes to be able to undo each statement alone.
 */
export function insertRecords(tx: Tx, structure: StructureRow, rows: readonly RowVersion[]): void {
  const last = tx.sql.runEach(INSERT, rows, ({ row }) => [
    row.id,
    row.structure,
    row.data,
    row.createdAt,
    row.updatedAt,
    row.deletedAt,
  ])
  let pk = last - rows.length
  for (const { row } of rows) row.pk = ++pk
  countInserts(tx, structure.pk, insertLive(tx, structure, rows), rows)
}

/** Inserts the live records into the table of live rows and the text index; returns their number. */
function insertLive(tx: Tx, structure: StructureRow, rows: readonly RowVersion[]): number {
  const live: LiveRow[] = []
  for (const { row, data } of rows) {
    const { pk, createdAt, updatedAt, deletedAt } = row
    if (deletedAt === null) live.push({ pk, data, createdAt, updatedAt })
  }
  insertLiveRows(tx, structure, definitionOf(structure), live)
  if (structure.indexedTo !== null) for (const { pk } of live) markForTextIndex(tx, structure, pk)
  return live.length
}

export const updateRecord = ({ sql }: Reader, { pk, data, updatedAt, deletedAt }: RecordRow) =>
  sql.run(
    'UPDATE records SET data = ?, updated_at = ?, deleted_at = ? WHERE pk = ?',
    data,
    updatedAt,
    deletedAt,
    pk,
  )

/** A record of another database: new here, or `known` and not live, in which case its state there overwrites it. */
export interface CopiedRecord extends RecordState {
  readonly known?: Pick<RecordRow, 'pk' | 'createdAt'> | undefined
}

const OVERWRITE = 'UPDATE records SET data = ?, created_at = ?, updated_at = ?, deleted_at = ? WHERE pk = ?'

/** Writes records of another database with their ids and times, in this order, and counts them. Logs nothing. */
export function putRecords(tx: Tx, structure: StructureRow, records: readonly CopiedRecord[]): void {
  const definition = definitionOf(structure)
  const rows = records.map(({ known, ...record }) => {
    const data = definition.formulas.length === 0 ? record.data : withFormulas(definition, record.data)
    const row = { ...record, pk: known?.pk ?? 0, structure: structure.pk, data: JSON.stringify(data) }
    return { row, data, known }
  })
  const known = rows.filter((row) => row.known !== undefined)
  insertRecords(
    tx,
    structure,
    rows.filter((row) => row.known === undefined),
  )
  if (known.length === 0) return
  tx.sql.runEach(OVERWRITE, known, ({ row: { data, createdAt, updatedAt, deletedAt, pk } }) => [
    ...[data, createdAt, updatedAt, deletedAt, pk],
  ])
  countChange(tx, structure.pk, insertLive(tx, structure, known))
  // A record that was created here before another database created one with the same id.
  if (known.some((one) => one.known?.createdAt !== one.row.createdAt))
    tx.sql.run('UPDATE structure_stats SET in_order = 0 WHERE structure = ?', structure.pk)
}

/** A row before and after a write; null if it was not live. */
export interface RowVersions {
  readonly pk: number
  readonly before: RecordState | null
  readonly after: RecordState | null
}

/** The writes of one transaction to one structure, in order. */
interface RowWrites {
  readonly structurePk: number
  /** The definition in force; compared by identity. */
  readonly definition: object
  /** The structure's change counter before and after. */
  readonly from: number
  readonly to: number
  readonly rows: readonly RowVersions[]
  /** The total length of the rows as JSON, in characters. */
  readonly size: number
}

/** More rows would take longer to test than to count again, or too much memory. */
const MAX_RECENT_ROWS = 4_000
const MAX_RECENT_SIZE = 2_000_000
/** The total for all structures. */
const MAX_SIZE = 8_000_000
const MAX_STRUCTURES = 100

/** Consecutive writes without a gap. */
interface Chain {
  readonly definition: object
  readonly writes: RowWrites[]
  rows: number
  size: number
}

/**
 * The latest committed writes of this process, by structure. They update counted totals without another count. Only
 * structures whose totals were requested are followed. A gap in the change counters, such as a write by another
 * process, or a change of the definition begins a new chain.
 */
class RecentWrites {
  readonly #chains = new Map<number, Chain | undefined>()
  #size = 0

  /** Starts to collect the writes of the structure. */
  follow(structurePk: number): void {
    if (this.#chains.has(structurePk)) return
    if (this.#chains.size >= MAX_STRUCTURES) this.#clear()
    this.#chains.set(structurePk, undefined)
  }

  #clear(): void {
    this.#chains.clear()
    this.#size = 0
  }

  /** Must be called after the commit, in write order. */
  add(write: RowWrites): void {
    const { structurePk, definition, from, to } = write
    if (from === to || !this.#chains.has(structurePk)) return
    const known = this.#chains.get(structurePk)
    const follows = known?.definition === definition && known.writes.at(-1)?.to === from
    const chain = known && follows ? known : { definition, writes: [], rows: 0, size: 0 }
    if (!follows) this.#size -= known?.size ?? 0
    if (this.#size + write.size > MAX_SIZE) {
      this.#clear()
      return
    }
    this.#chains.set(structurePk, chain)
    chain.writes.push(write)
    chain.rows += write.rows.length
    chain.size += write.size
    this.#size += write.size
    while (chain.rows > MAX_RECENT_ROWS || chain.size > MAX_RECENT_SIZE) this.#dropOldest(chain)
  }

  #dropOldest(chain: Chain): void {
    const oldest = chain.writes.shift()
    if (!oldest) return
    chain.rows -= oldest.rows.length
    chain.size -= oldest.size
    this.#size -= oldest.size
  }

  /** The rows written between two values of the change counter; undefined if some are unknown. */
  between(
    { structurePk, definition }: Pick<RowWrites, 'structurePk' | 'definition'>,
    from: number,
    to: number,
  ): RowVersions[] | undefined {
    const chain = this.#chains.get(structurePk)
    if (chain?.definition !== definition) return undefined
    const first = chain.writes.findLastIndex((write) => write.from === from)
    const last = chain.writes.findLastIndex((write) => write.to === to)
    if (first === -1 || last < first) return undefined
    return chain.writes.slice(first, last + 1).flatMap(({ rows }) => rows)
  }
}

const newRecentWrites = () => new RecentWrites()

/** One per database, shared by its writers and readers in this thread. */
export const recentWrites = ({ sql }: Reader): RecentWrites => sql.state.of(newRecentWrites)
