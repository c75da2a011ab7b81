import { wholeNoteJson } from '../../../notes/events.ts'
import { recordJson } from '../../../records/rows/present.ts'
import { findRecord } from '../../../records/rows/store.ts'
import type { Reader } from '../../../storage/reader.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { currentJson } from '../reconcile.ts'

/** A local change of one object (`storage/schema/mirror.ts`). */
export interface OverlayRow {
  readonly kind: 'note' | 'record' | 'tag' | 'quick_access_item'
  readonly id: string
  readonly structure: string | null
  readonly base: string | null
  readonly remote: string | null
  readonly pushed: string | null
  readonly held: string | null
  readonly problem: string | null
}

/** Whether a user changed it directly, rather than as a side effect. */
export const isOwn = ({ kind }: OverlayRow): boolean => kind === 'note' || kind === 'record'

/** In the order of their first changes. */
export const listOverlay = ({ sql }: Reader): OverlayRow[] =>
  sql.all(
    'SELECT kind, id, structure, base, remote, pushed, held, problem FROM mirror_overlay ORDER BY rowid',
  )

export const removeRow = ({ sql }: Tx, { kind, id }: OverlayRow) =>
  sql.run('DELETE FROM mirror_overlay WHERE kind = ? AND id = ?', kind, id)

export const saveRow = ({ sql }: Tx, { kind, id, base, remote, pushed, held, problem }: OverlayRow) =>
  sql.run(
    'UPDATE mirror_overlay SET base = ?, remote = ?, pushed = ?, held = ?, problem = ? WHERE kind = ? AND id = ?',
    base,
    remote,
    pushed,
    held,
    problem,
    kind,
    id,
  )

export const countOverlay = ({ sql }: Reader): number => sql.scalar('SELECT count(*) FROM mirror_overlay')

/** Removes the Quick Access rows that follow from notes deleted here. */
export const removeItems = ({ sql }: Tx) =>
  sql.run("DELETE FROM mirror_overlay WHERE kind = 'quick_access_item'")

export const addItem = ({ sql }: Tx, id: string, remote: string) =>
  sql.run(
    "INSERT INTO mirror_overlay (kind, id, base, remote) VALUES ('quick_access_item', ?1, ?2, ?2)",
    id,
    remote,
  )

/** Attributes of every object that do not count as changes. */
const IGNORED: readonly string[] = ['created_at', 'updated_at', 'edited_at', 'deleted_at']

const contentOf = (json: string): object =>
  Object.fromEntries(Object.entries(JSON.parse(json) as object).filter(([name]) => !IGNORED.includes(name)))

/** Whether two states of an object have the same content written by users. */
export function isSameContent(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one === other
  return one === other || Bun.deepEquals(contentOf(one), contentOf(other))
}

/** The `updated_at` of a state; null for none. */
export const versionOf = (json: string | null): string | null =>
  json === null ? null : (JSON.parse(json) as { updated_at: string }).updated_at

/** Whether the remote has the pushed state of an object, and the copy has not received it yet. */
export const isAccepted = ({ base, pushed }: Pick<OverlayRow, 'base' | 'pushed'>): boolean =>
  pushed !== null && base === pushed

/** Whether the remote changed an object after it was changed here. */
export const isConflict = (row: OverlayRow): boolean =>
  row.problem !== null || (!isAccepted(row) && versionOf(row.base) !== versionOf(row.remote))

/** The local state of an object; it may be held back from the tables by a conflict. */
export interface LocalState {
  /** Null for no object, including a deleted one. */
  readonly json: string | null
  /** When the object was deleted, if it can be restored. */
  readonly deletedAt: number | null
}

export function localState(reader: Reader, row: OverlayRow, workspacePk: number): LocalState {
  if (row.held !== null) return { json: row.held, deletedAt: null }
  const { kind, id } = row
  if (kind === 'record') {
    const record = findRecord(reader, id)
    return stateOf(record && recordJson(record), record?.deletedAt)
  }
  if (kind === 'note') {
    const note = findNoteKey(reader, id)
    return stateOf(note && (wholeNoteJson(reader, note.pk) ?? undefined), note?.deletedAt)
  }
  return stateOf(currentJson(reader, workspacePk, kind, id))
}

const stateOf = (json: string | null | undefined, deletedAt: number | null = null): LocalState => ({
  json: deletedAt === null ? (json ?? null) : null,
  deletedAt,
})

/** Finds a note, including one in the trash. */
export const findNoteKey = (
  { sql }: Reader,
  id: string,
): { readonly pk: number; readonly deletedAt: number | null } | undefined =>
  sql.get('SELECT pk, deleted_at AS deletedAt FROM notes WHERE id = ?', id)
