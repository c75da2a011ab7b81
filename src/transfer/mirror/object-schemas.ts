import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { Comment, MAX_TEXT } from '../../comments/schema.ts'
import { MAX_CONDITIONS as MAX_SOURCE_CONDITIONS } from '../../events/sources/map.ts'
import { Source } from '../../events/sources/schema.ts'
import { Webhook } from '../../events/webhooks/schema.ts'
import { isMimeType } from '../../files/extraction/kinds.ts'
import { MAX_PAGES, MAX_SECTIONS } from '../../files/extraction/pages.ts'
import { FileWithOutlineResponse } from '../../files/schema.ts'
import { MAX_FILE_BYTES } from '../../files/size-limit.ts'
import { MAX_CONDITIONS } from '../../filter/record/parse.ts'
import { integer, members, nullable, nullableText, strict, text, timestamp } from '../../http/schema/types.ts'
import { MAX_FURTHER_ALIASES, MAX_NAME_LENGTH } from '../../lib/text.ts'
import { MAX_CONTENT } from '../../notes/content-length.ts'
import { Lens } from '../../notes/lenses/schema.ts'
import { QuickAccessItem } from '../../notes/pinned/schema.ts'
import { MAX_ENTRIES, Preset } from '../../notes/presets/schema.ts'
import { MAX_OPTIONS as MAX_PROPERTY_OPTIONS, Property, propertyKey } from '../../notes/properties/schema.ts'
import { Note } from '../../notes/schema.ts'
import { Tag } from '../../notes/tags/schema.ts'
import { MAX_DISPLAYED, View } from '../../notes/views/schema.ts'
import { MAX_TAGS } from '../../notes/writing/tags.ts'
import { RecordObject } from '../../records/rows/schema.ts'
import { fieldKey, MAX_FIELDS, MAX_OPTIONS, MAX_SETS, Structure } from '../../records/structures/schema.ts'
import { RowView } from '../../records/views/schema.ts'
import type { ChangeKind } from '../../storage/schema/changes.ts'

/*
 * A remote is trusted no more than any other caller: its objects are checked against the schemas of the responses,
 * and names against the rules under which they were written.
 */

const name = () => text({ singleLine: true, maxLength: MAX_NAME_LENGTH })
const nullableName = () => nullableText({ singleLine: true, maxLength: MAX_NAME_LENGTH })
const content = () => text({ maxLength: MAX_CONTENT })
/** A list, or a list among alternatives, of at most as many entries as a request may contain. */
const atMost = (maxItems: number, schema: TSchema): TSchema =>
  Array.isArray(schema.anyOf)
    ? { ...schema, anyOf: schema.anyOf.map((one: TSchema) => atMost(maxItems, one)) }
    : schema.type === 'array'
      ? { ...schema, maxItems }
      : schema
const file = FileWithOutlineResponse.properties.file
const FIELD = Structure.properties.fields.items.properties

const FIELD_VALUES = 'MirrorFieldValues'
TypeRegistry.Set(FIELD_VALUES, (_, data) => isFieldValues(data))

function isFieldValues(data: unknown): boolean {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false
  for (const key in data) {
    const value = (data as Record<string, unknown>)[key]
    const type = typeof value
    if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')) continue
    if (type !== 'string' && type !== 'number' && type !== 'boolean') return false
  }
  return true
}

/** The schema of each kind. */
export const SCHEMAS: Record<ChangeKind, TSchema> = {
  note: strict({
    ...Note.properties,
    title: name(),
    content: content(),
    alias: nullableName(),
    aliases: Type.Optional(Type.Array(name(), { maxItems: MAX_FURTHER_ALIASES })),
    pin_label: nullableName(),
    edited_at: Type.Optional(timestamp()),
    tags: atMost(MAX_TAGS, Note.properties.tags),
    properties: members(),
  }),
  record: strict({
    ...RecordObject.properties,
    data: Type.Unsafe({
      [Kind]: FIELD_VALUES,
      type: 'object',
      words: 'an object of texts, numbers, booleans and lists of texts',
    }),
  }),
  tag: strict({
    ...Tag.properties,
    name: name(),
    linked_tags: atMost(MAX_TAGS, Tag.properties.linked_tags),
  }),
  property: strict({
    ...Property.properties,
    key: propertyKey(),
    label: name(),
    options: atMost(MAX_PROPERTY_OPTIONS, Property.properties.options),
  }),
  structure: strict({
    ...Structure.properties,
    // Absent for a key that may not read the rows.
    record_count: Type.Optional(Structure.properties.record_count),
    name: name(),
    fields: Type.Array(
      strict({
        ...FIELD,
        key: fieldKey(),
        label: name(),
        options: atMost(MAX_OPTIONS, FIELD.options),
      }),
      { maxItems: MAX_FIELDS },
    ),
    unique_together: Type.Array(Type.Array(Type.String(), { maxItems: MAX_FIELDS }), { maxItems: MAX_SETS }),
  }),
  preset: strict({
    ...Preset.properties,
    name: name(),
    content: Type.Optional(content()),
    tags: atMost(MAX_TAGS, Preset.properties.tags),
    properties: atMost(MAX_ENTRIES, Preset.properties.properties),
    asks: atMost(MAX_ENTRIES, Preset.properties.asks),
  }),
  view: strict({
    ...View.properties,
    name: name(),
    display_properties: atMost(MAX_DISPLAYED, View.properties.display_properties),
  }),
  lens: strict({ ...Lens.properties, name: name() }),
  quick_access_item: QuickAccessItem,
  file: strict({
    ...file.properties,
    file_name: name(),
    mime_type: text({ check: isMimeType, says: 'a media type such as text/plain' }),
    size: integer({ minimum: 0, maximum: MAX_FILE_BYTES }),
    pages: nullable(integer({ minimum: 0, maximum: MAX_PAGES })),
    outline: atMost(MAX_SECTIONS, file.properties.outline),
  }),
  webhook: strict({
    ...Webhook.properties,
    filter: atMost(MAX_CONDITIONS, Webhook.properties.filter),
    fields: atMost(MAX_FIELDS, Webhook.properties.fields),
  }),
  source: strict({
    ...Source.properties,
    name: name(),
    when: atMost(MAX_SOURCE_CONDITIONS, Source.properties.when),
  }),
  row_view: strict({
    ...RowView.properties,
    name: name(),
    filter: atMost(MAX_CONDITIONS, RowView.properties.filter),
    columns: atMost(MAX_FIELDS, RowView.properties.columns),
  }),
  comment: strict({ ...Comment.properties, text: text({ minLength: 1, maxLength: MAX_TEXT }) }),
  // Shares are not copied.
  share: Type.Never(),
}
