import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'
import { properties } from './properties.ts'
import { tags } from './tags.ts'

export const presets = sqliteTable(
  'presets',
  {
    pk: integer().primaryKey(),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    name: text().notNull(),
    nameFold: text('name_fold').notNull(),
    icon: text(),
    color: text(),
    isPinned: integer('is_pinned').notNull(),
    /** The text that it appends to a note, with placeholders; null for none. */
    content: text(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [uniqueIndex('presets_name').on(table.workspace, table.nameFold)],
)

const ofPreset = () =>
  integer('preset')
    .notNull()
    .references(() => presets.pk, { onDelete: 'cascade' })

/** The tags that a preset adds to a note; deleting a tag removes it here. */
export const presetTags = sqliteTable(
  'preset_tags',
  {
    preset: ofPreset(),
    tag: integer()
      .notNull()
      .references(() => tags.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.preset, table.tag] }), index('preset_tags_tag').on(table.tag)],
)

/** The values that a preset sets or prompts for; a property in this table cannot be deleted. */
export const presetProperties = sqliteTable(
  'preset_properties',
  {
    preset: ofPreset(),
    property: integer()
      .notNull()
      .references(() => properties.pk, { onDelete: 'cascade' }),
    isAsked: integer('is_asked').notNull(),
    /** The position among the set values, or among the prompts. */
    position: integer().notNull(),
    /** JSON; null for no value. */
    value: text(),
  },
  (table) => [
    primaryKey({ columns: [table.preset, table.property] }),
    index('preset_properties_property').on(table.property),
  ],
)
