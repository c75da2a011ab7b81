import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import type { PropertyRule } from '../notes/writing/property-values.ts'
import type { UsedBy } from '../usage.ts'

export interface PresetRow {
  pk: number
  id: string
  name: string
  icon: string | null
  color: string | null
  isPinned: number
  createdAt: number
  updatedAt: number
}

/** A property that a preset sets or asks for. */
export interface Entry {
  rule: PropertyRule
  /** Null for none. */
  value: unknown
}

const COLUMNS =
  'pk, id, name, icon, color, is_pinned AS isPinned, created_at AS createdAt, updated_at AS updatedAt'

/** Presets by name, ignoring case. */
export const listPresetRows = ({ sql }: Reader, workspace: number): PresetRow[] =>
  sql.all(`SELECT ${COLUMNS} FROM presets WHERE workspace = ? ORDER BY name_fold`, workspace)

export const findPreset = ({ sql }: Reader, workspace: number, id: string): PresetRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM presets WHERE id = ? AND workspace = ?`, id, workspace)

export const findPresetByName = (
  { sql }: Reader,
  workspace: number,
  nameFold: string,
): PresetRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM presets WHERE workspace = ? AND name_fold = ?`, workspace, nameFold)

export const countPresets = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT count(*) FROM presets WHERE workspace = ?', workspace)

export const tagsOfPreset = ({ sql }: Reader, preset: number): { id: number; name: string }[] =>
  sql.all(
    'SELECT tag AS id, (SELECT name FROM tags t WHERE t.id = tag) AS name FROM preset_tags WHERE preset = ?',
    preset,
  )

/** What a preset sets, or asks for, in the order in which it was sent. */
export function entriesOfPreset({ sql }: Reader, preset: number, isAsked: boolean): Entry[] {
  const rows = sql.all<PropertyRule & { value: string | null }>(
    `SELECT property AS pk, value, (SELECT key FROM properties p WHERE p.pk = property) AS key,
       (SELECT type FROM properties p WHERE p.pk = property) AS type,
       (SELECT options FROM properties p WHERE p.pk = property) AS options
     FROM preset_properties WHERE preset = ? AND is_asked = ? ORDER BY position`,
    preset,
    isAsked ? 1 : 0,
  )
  return rows.map(({ value, ...rule }) => ({ rule, value: value === null ? null : JSON.parse(value) }))
}

/** What a caller decides of a preset itself. */
export interface PresetColumns {
  name: string
  nameFold: string
  icon: string | null
  color: string | null
  isPinned: number
}

/** Answers the pk of the new preset. */
export const insertPreset = (
  { sql }: Reader,
  row: PresetColumns & { id: string; workspace: number; now: number },
): number =>
  sql.run(
    `INSERT INTO presets (id, workspace, name, name_fold, icon, color, is_pinned, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace,
    row.name,
    row.nameFold,
    row.icon,
    row.color,
    row.isPinned,
    row.now,
    row.now,
  ).lastInsertRowid

/** Moves `updated_at` strictly. */
export const updatePreset = ({ sql }: Reader, pk: number, row: PresetColumns, now: number) =>
  sql.run(
    `UPDATE presets SET name = ?, name_fold = ?, icon = ?, color = ?, is_pinned = ?,
       updated_at = max(?, updated_at + 1) WHERE pk = ?`,
    row.name,
    row.nameFold,
    row.icon,
    row.color,
    row.isPinned,
    now,
    pk,
  )

export function replaceTags({ sql }: Reader, preset: number, tags: readonly number[]): void {
  sql.run('DELETE FROM preset_tags WHERE preset = ?', preset)
  for (const tag of tags) sql.run('INSERT INTO preset_tags (preset, tag) VALUES (?, ?)', preset, tag)
}

export function replaceEntries(
  reader: Reader,
  preset: number,
  { properties, asks }: { properties: readonly Entry[]; asks: readonly Entry[] },
): void {
  reader.sql.run('DELETE FROM preset_properties WHERE preset = ?', preset)
  insertEntries(reader, preset, properties, false)
  insertEntries(reader, preset, asks, true)
}

function insertEntries({ sql }: Reader, preset: number, entries: readonly Entry[], isAsked: boolean): void {
  for (const [position, { rule, value }] of entries.entries()) {
    sql.run(
      'INSERT INTO preset_properties (preset, property, is_asked, position, value) VALUES (?, ?, ?, ?, ?)',
      preset,
      rule.pk,
      isAsked ? 1 : 0,
      position,
      value === null ? null : JSON.stringify(value),
    )
  }
}

export const deletePresetRow = ({ sql }: Reader, pk: number) =>
  sql.run('DELETE FROM presets WHERE pk = ?', pk)

/** A tag that is about to be deleted leaves every preset. */
export function takeTagOffPresets({ sql, now }: Tx, tag: number): void {
  sql.run(
    `UPDATE presets SET updated_at = max(?, updated_at + 1)
     WHERE pk IN (SELECT preset FROM preset_tags WHERE tag = ?)`,
    now,
    tag,
  )
  sql.run('DELETE FROM preset_tags WHERE tag = ?', tag)
}

/** The presets that set the property or ask for it, by name. */
export const presetsNamingProperty = ({ sql }: Reader, property: number): UsedBy[] =>
  sql.all(
    `SELECT id, name FROM presets WHERE pk IN (SELECT preset FROM preset_properties WHERE property = ?)
     ORDER BY name_fold`,
    property,
  )
