import { eq, inArray, sql } from 'drizzle-orm'
import { type ChangeAuthor, logChange } from '../changes/log.ts'
import { from, insertInto, orm, rowsBy, runBy, touched, update } from '../db/query.ts'
import type { Reader } from '../db/reader.ts'
import { presetProperties, presets, presetTags } from '../db/schema/presets.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { compareNames } from '../lib/text.ts'
import type { PropertyRule } from '../notes/writing/properties.ts'

/* The tags and properties of presets. */

/** A property that a preset sets or asks for. */
export interface PresetProperty {
  rule: PropertyRule
  /** Null for none. */
  value: unknown
}

export interface PropertyLists {
  properties: readonly PresetProperty[]
  asks: readonly PresetProperty[]
}

export const tagsOfPreset = rowsBy((preset: number) =>
  from(presetTags, {
    id: presetTags.tag,
    name: sql<string>`(SELECT name FROM tags t WHERE t.id = tag)`,
  }).where(eq(presetTags.preset, preset)),
)

/** The names of the tags of a preset, sorted. */
export const tagNamesOfPreset = (reader: Reader, preset: number): string[] =>
  tagsOfPreset(reader, preset)
    .map(({ name }) => name)
    .sort(compareNames)

const findProperties = rowsBy((preset: number) =>
  from(presetProperties, {
    pk: presetProperties.property,
    value: presetProperties.value,
    key: sql<string>`(SELECT key FROM properties p WHERE p.pk = property)`,
    type: sql<PropertyRule['type']>`(SELECT type FROM properties p WHERE p.pk = property)`,
    isAsked: presetProperties.isAsked,
  })
    .where(eq(presetProperties.preset, preset))
    .orderBy(presetProperties.isAsked, presetProperties.position),
)

/** What a preset sets, and what it asks for, each in the order in which it was sent. */
export function propertiesOfPreset(reader: Reader, preset: number): PropertyLists {
  const rows = findProperties(reader, preset).map(({ value, isAsked, ...rule }) => ({
    isAsked,
    entry: { rule, value: value === null ? null : JSON.parse(value) },
  }))
  const list = (asked: 0 | 1) => rows.filter(({ isAsked }) => isAsked === asked).map(({ entry }) => entry)
  return { properties: list(0), asks: list(1) }
}

const deleteTags = runBy((preset: number) => orm.delete(presetTags).where(eq(presetTags.preset, preset)))
const insertTag = insertInto(presetTags)

export function replaceTags(reader: Reader, preset: number, tags: readonly number[]): void {
  deleteTags(reader, preset)
  for (const tag of tags) insertTag(reader, { preset, tag })
}

const deleteProperties = runBy((preset: number) =>
  orm.delete(presetProperties).where(eq(presetProperties.preset, preset)),
)
const insertProperty = insertInto(presetProperties)

export function replaceProperties(reader: Reader, preset: number, { properties, asks }: PropertyLists): void {
  deleteProperties(reader, preset)
  for (const [isAsked, list] of [properties, asks].entries())
    for (const [position, { rule, value }] of list.entries())
      insertProperty(reader, {
        preset,
        property: rule.pk,
        isAsked,
        position,
        value: value === null ? null : JSON.stringify(value),
      })
}

const havingTag = (tag: number) =>
  inArray(
    presets.pk,
    orm.select({ preset: presetTags.preset }).from(presetTags).where(eq(presetTags.tag, tag)),
  )
const listHavingTag = rowsBy((tag: number) =>
  from(presets, { pk: presets.pk, id: presets.id }).where(havingTag(tag)),
)
const touchHavingTag = runBy((tag: number, now: number) =>
  update(presets, { updatedAt: touched(now) }, havingTag(tag)),
)
const deleteTag = runBy((tag: number) => orm.delete(presetTags).where(eq(presetTags.tag, tag)))

/** For a tag that is being deleted. */
export function removeTagFromPresets(tx: Tx, author: ChangeAuthor, tag: number): void {
  for (const { pk, id } of listHavingTag(tx, tag)) {
    const difference = { changed: ['tags'], previous: { tags: tagNamesOfPreset(tx, pk) } }
    logChange(tx, author, { kind: 'preset', id }, 'updated', { difference })
  }
  touchHavingTag(tx, tag, tx.now)
  deleteTag(tx, tag)
}

/** The presets that set the property or ask for it, by name. */
export const presetsNamingProperty = rowsBy((property: number) =>
  from(presets, { id: presets.id, name: presets.name })
    .where(
      inArray(
        presets.pk,
        orm
          .select({ preset: presetProperties.preset })
          .from(presetProperties)
          .where(eq(presetProperties.property, property)),
      ),
    )
    .orderBy(presets.nameFold),
)
