import { t } from 'elysia'
import { flag, id, integer, response, strict, text } from '../../http/schema/types.ts'
import { fieldKey, SentField, Structure } from '../../structures/schema.ts'

const { type, label, options } = SentField.properties

export const ConvertBody = strict(
  {
    field: text({
      minLength: 1,
      description: 'The key of the field whose values are read.',
      examples: ['pages'],
    }),
    key: fieldKey(),
    type,
    options,
    label,
    dry_run: t.Optional(flag({ description: 'Says what would be; writes nothing.' })),
  },
  { examples: [{ field: 'pages', key: 'pages_text', type: 'text' }] },
)

export const ConvertedResponse = response({
  structure: Structure,
  converted: integer({ description: 'Rows that have a value in the new field.', examples: [1] }),
  empty: integer({ description: 'Rows without a value in the old one.', examples: [0] }),
  failed: integer({ description: 'Rows whose value could not be read.', examples: [0] }),
  failures: t.Array(
    strict({
      record_id: id(),
      value: t.Union([t.String(), t.Number(), t.Boolean()], { examples: ['about 300'] }),
    }),
    { description: 'The first 200 of them.', examples: [[]] },
  ),
})
