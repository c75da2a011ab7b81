import { and, count, eq, sql } from 'drizzle-orm'
import { from, rowBy, rowsBy, valueBy } from '../db/query.ts'
import type { Reader } from '../db/reader.ts'
import { noteProperties, properties } from '../db/schema/properties.ts'

/** The property is not being deleted; the number is part of the text, because a partial index names it. */
const isVisible = sql`${properties.isRemoved} = 0`

const { pk, id, key, type, label } = properties
const head = () => from(properties, { pk, id, key, type, label })

/** A property without its count of notes, which is slow to find. */
export type PropertyHead = NonNullable<ReturnType<typeof findPropertyHead>>

export const findPropertyHead = rowBy((workspace: number, idOfProperty: string) =>
  head().where(and(isVisible, eq(id, idOfProperty), eq(properties.workspace, workspace))),
)

export const findPropertyHeadByKey = rowBy((workspace: number, folded: string) =>
  head().where(and(isVisible, eq(properties.workspace, workspace), eq(key, folded))),
)

export const findPropertyHeadByPk = rowBy((property: number) =>
  head().where(and(isVisible, eq(pk, property))),
)

/** How many notes hold a value, trashed ones too. */
export const countNotesHolding = valueBy((property: number) =>
  from(noteProperties, { value: count() }).where(eq(noteProperties.property, property)),
)

const findHolding = rowBy((property: number) =>
  from(noteProperties, { note: noteProperties.note }).where(eq(noteProperties.property, property)).limit(1),
)

export const isHeldByAnyNote = (reader: Reader, property: number): boolean =>
  findHolding(reader, property) !== undefined

/** Values of active notes that are not among the options, a JSON array, and on how many notes each. */
export const strandedValues = rowsBy((property: number, options: string) =>
  from(sql`note_properties np CROSS JOIN notes n ON n.pk = np.note`, {
    value: sql<string>`np.value`,
    notes: count(),
  })
    .where(
      sql`np.property = ${property} AND n.deleted_at IS NULL AND np.value NOT IN (SELECT value FROM json_each(${options}))`,
    )
    .groupBy(sql`np.value`)
    .orderBy(sql`np.value`),
)
