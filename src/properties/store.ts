import type { Reader } from '../db/reader.ts'
import type { PropertyType } from '../notes/writing/property-values.ts'

export interface PropertyRow {
  pk: number
  id: string
  key: string
  type: PropertyType
  label: string | null
  /** JSON array of strings, for `select`. */
  options: string | null
  position: number
  isPinned: number
  notesWithValue: number
  createdAt: number
  updatedAt: number
}

/** Those in the trash are taken off, as they are few: a look at every note would hold all others up. */
const COLUMNS = `p.pk, p.id, p.key, p.type, p.label, p.options, p.position, p.is_pinned AS isPinned,
  p.created_at AS createdAt, p.updated_at AS updatedAt,
  (SELECT count(*) FROM note_properties np WHERE np.property = p.pk) -
  (SELECT count(*) FROM notes n INDEXED BY notes_trash
   CROSS JOIN note_properties np ON np.note = n.pk AND np.property = p.pk
   WHERE n.workspace = p.workspace AND n.deleted_at IS NOT NULL) AS notesWithValue`

export const listPropertyRows = ({ sql }: Reader, workspace: number): PropertyRow[] =>
  sql.all(`SELECT ${COLUMNS} FROM properties p WHERE p.workspace = ? ORDER BY p.position, p.pk`, workspace)

export const findProperty = ({ sql }: Reader, workspace: number, id: string): PropertyRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM properties p WHERE p.id = ? AND p.workspace = ?`, id, workspace)

export const findPropertyByKey = ({ sql }: Reader, workspace: number, key: string): PropertyRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM properties p WHERE p.workspace = ? AND p.key = ?`, workspace, key)

/** A definition without its count of notes, which takes long. */
export type PropertyHead = Pick<PropertyRow, 'pk' | 'id' | 'key' | 'type' | 'label'>

const HEAD = 'SELECT pk, id, key, type, label FROM properties'

export const findPropertyHead = ({ sql }: Reader, workspace: number, id: string): PropertyHead | undefined =>
  sql.get(`${HEAD} WHERE id = ? AND workspace = ?`, id, workspace)

export const findPropertyHeadByKey = (
  { sql }: Reader,
  workspace: number,
  key: string,
): PropertyHead | undefined => sql.get(`${HEAD} WHERE workspace = ? AND key = ?`, workspace, key)

export const countProperties = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT count(*) FROM properties WHERE workspace = ?', workspace)

export interface NewProperty {
  id: string
  workspace: number
  key: string
  type: PropertyType
  label: string | null
  options: string | null
  position: number
  isPinned: number
  now: number
}

export const insertProperty = ({ sql }: Reader, row: NewProperty): number =>
  sql.run(
    `INSERT INTO properties (id, workspace, key, type, label, options, position, is_pinned, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace,
    row.key,
    row.type,
    row.label,
    row.options,
    row.position,
    row.isPinned,
    row.now,
    row.now,
  ).lastInsertRowid

export const updateProperty = (
  { sql }: Reader,
  pk: number,
  row: Pick<PropertyRow, 'key' | 'type' | 'label' | 'options' | 'isPinned'>,
) =>
  sql.run(
    'UPDATE properties SET key = ?, type = ?, label = ?, options = ?, is_pinned = ? WHERE pk = ?',
    row.key,
    row.type,
    row.label,
    row.options,
    row.isPinned,
    pk,
  )

/** Moves `updated_at` strictly. */
export const touchProperty = ({ sql }: Reader, pk: number, now: number) =>
  sql.run('UPDATE properties SET updated_at = max(?, updated_at + 1) WHERE pk = ?', now, pk)

export const deletePropertyRow = ({ sql }: Reader, pk: number) =>
  sql.run('DELETE FROM properties WHERE pk = ?', pk)

/** Every note that holds a value, trashed ones too. */
export const notesHolding = ({ sql }: Reader, pk: number): number[] =>
  sql.column('SELECT note FROM note_properties WHERE property = ?', pk)

export const isHeldByAnyNote = ({ sql }: Reader, pk: number): boolean =>
  sql.get('SELECT 1 FROM note_properties WHERE property = ? LIMIT 1', pk) !== undefined

/** Values of active notes that are not among the options, and on how many notes each. */
export const strandedValues = (
  { sql }: Reader,
  pk: number,
  options: string,
): { value: string; notes: number }[] =>
  sql.all(
    `SELECT np.value, count(*) AS notes FROM note_properties np CROSS JOIN notes n ON n.pk = np.note
     WHERE np.property = ? AND n.deleted_at IS NULL AND np.value NOT IN (SELECT value FROM json_each(?))
     GROUP BY np.value ORDER BY np.value`,
    pk,
    options,
  )
