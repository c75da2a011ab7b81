import { t } from '../../http/schema/types.ts'
import { fieldKey, SentField, Structure } from '../../structures/schema.ts'

const { type, label, options } = SentField.properties

export const ConvertBody = t.strict(
  {
    field: t.text({
      minLength: 1,
      description: 'The key of the field whose values are read.',
      examples: ['pages'],
    }),
    key: fieldKey(),
    type,
    options,
    label,
    dry_run: t.Optional(t.flag({ description: 'Says what would be; writes nothing.' })),
  },
  { examples: [{ field: 'pages', key: 'pages_text', type: 'text' }] },
)

export const ConvertedResponse = t.response({
  structure: Structure,
  converted: t.integer({ description: 'Rows that have a value in the new field.', examples: [1] }),
  empty: t.integer({ description: 'Rows without a value in the old one.', examples: [0] }),
  failed: t.integer({ description: 'Rows whose value could not be read.', examples: [0] }),
  failures: t.Array(
    t.strict({
      record_id: t.id(),
      value: t.Union([t.String(), t.Number(), t.Boolean()], { examples: ['about 300'] }),
    }),
    { description: 'The first 200 of them.', examples: [[]] },
  ),
})
