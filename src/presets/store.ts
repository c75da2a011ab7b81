import { type ChangeAuthor, logChange } from '../changes/log.ts'
import { columnsOf, countRows, deleteRow, insertRow, updateRow } from '../db/crud.ts'
import type { Reader } from '../db/reader.ts'
import { presets } from '../db/schema/presets.ts'
import { TOUCH } from '../db/sql-part.ts'
import type { Tx } from '../db/writes/transaction.ts'
import type { UsedBy } from '../feature-hooks.ts'
import { compareNames } from '../lib/text.ts'
import type { PropertyRule } from '../notes/writing/properties.ts'

export type PresetRow = typeof presets.$inferSelect

/** What a caller decides of a preset, apart from its tags and properties. */
export type PresetColumns = Pick<PresetRow, 'name' | 'nameFold' | 'icon' | 'color' | 'isPinned'>

/** A property that a preset sets or asks for. */
export interface PresetProperty {
  rule: PropertyRule
  /** Null for none. */
  value: unknown
}

const SELECT = `SELECT ${columnsOf(presets)} FROM presets`

/** A list of more is long, however short their values are. */
const MAX_WEIGHED = 100

/** Presets by name, ignoring case. */
export const listPresetRows = ({ sql }: Reader, workspace: number): PresetRow[] =>
  sql.all(`${SELECT} WHERE workspace = ? ORDER BY name_fold`, workspace)

/** The length of the values of the presets of a workspace, together. */
export const valueBytes = ({ sql }: Reader, workspace: number): number =>
  sql.scalar(
    `SELECT total(octet_length(value)) FROM preset_properties
     WHERE preset IN (SELECT pk FROM presets WHERE workspace = ? LIMIT ${MAX_WEIGHED})`,
    workspace,
  )

export const findPreset = ({ sql }: Reader, workspace: number, id: string): PresetRow | undefined =>
  sql.get(`${SELECT} WHERE id = ? AND workspace = ?`, id, workspace)

export const findPresetByName = (
  { sql }: Reader,
  workspace: number,
  nameFold: string,
): PresetRow | undefined => sql.get(`${SELECT} WHERE workspace = ? AND name_fold = ?`, workspace, nameFold)

export const countPresets = (reader: Reader, workspace: number) => countRows(reader, presets, workspace)

export const tagsOfPreset = ({ sql }: Reader, preset: number): { id: number; name: string }[] =>
  sql.all(
    'SELECT tag AS id, (SELECT name FROM tags t WHERE t.id = tag) AS name FROM preset_tags WHERE preset = ?',
    preset,
  )

/** What a preset sets, or asks for, in the order in which it was sent. */
export function propertiesOfPreset({ sql }: Reader, preset: number, isAsked: boolean): PresetProperty[] {
  const rows = sql.all<PropertyRule & { value: string | null }>(
    `SELECT property AS pk, value, (SELECT key FROM properties p WHERE p.pk = property) AS key,
       (SELECT type FROM properties p WHERE p.pk = property) AS type
     FROM preset_properties WHERE preset = ? AND is_asked = ? ORDER BY position`,
    preset,
    isAsked ? 1 : 0,
  )
  return rows.map(({ value, ...rule }) => ({ rule, value: value === null ? null : JSON.parse(value) }))
}

/** Returns the pk of the new preset. */
export const insertPreset = (
  tx: Tx,
  row: PresetColumns & { id: string; workspace: number },
  createdAt = tx.now,
): number => insertRow(tx, presets, { ...row, createdAt, updatedAt: createdAt })

export const updatePreset = (tx: Tx, pk: number, columns: PresetColumns) =>
  updateRow(tx, presets, pk, columns, tx.now)

export function replaceTags({ sql }: Reader, preset: number, tags: readonly number[]): void {
  sql.run('DELETE FROM preset_tags WHERE preset = ?', preset)
  for (const tag of tags) sql.run('INSERT INTO preset_tags (preset, tag) VALUES (?, ?)', preset, tag)
}

export function replaceProperties(
  reader: Reader,
  preset: number,
  { properties, asks }: { properties: readonly PresetProperty[]; asks: readonly PresetProperty[] },
): void {
  reader.sql.run('DELETE FROM preset_properties WHERE preset = ?', preset)
  insertProperties(reader, preset, properties, false)
  insertProperties(reader, preset, asks, true)
}

function insertProperties(
  { sql }: Reader,
  preset: number,
  properties: readonly PresetProperty[],
  isAsked: boolean,
): void {
  for (const [position, { rule, value }] of properties.entries()) {
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

export const deletePresetRow = (tx: Tx, pk: number) => deleteRow(tx, presets, pk)

/** For a tag that is being deleted. */
export function removeTagFromPresets(tx: Tx, author: ChangeAuthor, tag: number): void {
  const { sql, now } = tx
  const having = sql.rows<[pk: number, id: string]>(
    'SELECT pk, id FROM presets WHERE pk IN (SELECT preset FROM preset_tags WHERE tag = ?)',
    tag,
  )
  for (const [pk, id] of having) {
    const tags = tagsOfPreset(tx, pk).map(({ name }) => name)
    const difference = { changed: ['tags'], previous: { tags: tags.sort(compareNames) } }
    logChange(tx, author, { kind: 'preset', id }, 'updated', { difference })
  }
  sql.run(
    `UPDATE presets SET ${TOUCH}
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
