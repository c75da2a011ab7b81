import { columnsOf, insertRow, updateRow } from '../db/crud.ts'
import type { Reader } from '../db/reader.ts'
import { properties } from '../db/schema/properties.ts'
import type { Tx } from '../db/writes/transaction.ts'

export type PropertyRow = typeof properties.$inferSelect & { notesWithValue: number }

/** What a caller decides of a property, apart from its position. */
export type PropertyColumns = Pick<PropertyRow, 'key' | 'type' | 'label' | 'options' | 'isPinned'>

/** The trash is small: subtracting what it holds is faster than looking at each note that holds a value. */
const SELECT = `SELECT ${columnsOf(properties)},
  (SELECT count(*) FROM note_properties np WHERE np.property = properties.pk) -
  (SELECT count(*) FROM notes n INDEXED BY notes_trash
   CROSS JOIN note_properties np ON np.note = n.pk AND np.property = properties.pk
   WHERE n.workspace = properties.workspace AND n.deleted_at IS NOT NULL) AS notesWithValue FROM properties
  WHERE is_removed = 0`

/** Properties by position. */
export const listPropertyRows = ({ sql }: Reader, workspace: number): PropertyRow[] =>
  sql.all(`${SELECT} AND workspace = ? ORDER BY position, pk`, workspace)

export const findProperty = ({ sql }: Reader, workspace: number, id: string): PropertyRow | undefined =>
  sql.get(`${SELECT} AND id = ? AND workspace = ?`, id, workspace)

export const findPropertyByKey = ({ sql }: Reader, workspace: number, key: string): PropertyRow | undefined =>
  sql.get(`${SELECT} AND workspace = ? AND key = ?`, workspace, key)

/** A property without its count of notes, which is slow to find. */
export type PropertyHead = Pick<PropertyRow, 'pk' | 'id' | 'key' | 'type' | 'label'>

const HEAD = 'SELECT pk, id, key, type, label FROM properties WHERE is_removed = 0'

export const findPropertyHead = ({ sql }: Reader, workspace: number, id: string): PropertyHead | undefined =>
  sql.get(`${HEAD} AND id = ? AND workspace = ?`, id, workspace)

export const findPropertyHeadByKey = (
  { sql }: Reader,
  workspace: number,
  key: string,
): PropertyHead | undefined => sql.get(`${HEAD} AND workspace = ? AND key = ?`, workspace, key)

export const countProperties = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT count(*) FROM properties WHERE workspace = ? AND is_removed = 0', workspace)

/** Returns the pk of the new property. */
export const insertProperty = (
  tx: Tx,
  row: PropertyColumns & { id: string; workspace: number; position: number },
): number => insertRow(tx, properties, { ...row, createdAt: tx.now, updatedAt: tx.now })

export const updateProperty = (tx: Tx, pk: number, columns: PropertyColumns) =>
  updateRow(tx, properties, pk, columns, tx.now)

/** How many notes hold a value, trashed ones too. */
export const countNotesHolding = ({ sql }: Reader, pk: number): number =>
  sql.scalar('SELECT count(*) FROM note_properties WHERE property = ?', pk)

/** How long the values of all notes are together, in bytes. */
export const bytesOfValues = ({ sql }: Reader, pk: number): number =>
  sql.scalar('SELECT total(octet_length(value)) FROM note_properties WHERE property = ?', pk)

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
