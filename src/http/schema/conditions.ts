import { ALL_ROW_OPERATORS } from '../../filter/operators.ts'
import { MAX_NEEDLE } from '../../filter/record/parse.ts'
import { type TextOptions, t } from './types.ts'

export const condition = () =>
  t.strict(
    {
      field: t.String({
        description: 'A field key, `id`, `created_at`, `updated_at` or `*`.',
        examples: ['pages'],
      }),
      op: t.String({ enum: [...ALL_ROW_OPERATORS], examples: ['gt'] }),
      value: t.Optional(
        t.Unknown({ description: 'Omitted with `is_empty` and `not_empty`.', examples: [500] }),
      ),
    },
    { $id: 'RecordCondition', description: 'A condition on a row.' },
  )

/** A text to search for in all fields of a row. */
export const searchText = (rules: TextOptions = {}) =>
  t.text({
    minLength: 1,
    maxLength: MAX_NEEDLE,
    description: 'A text in any field, ignoring case: `contains` on `*`.',
    examples: ['middle'],
    ...rules,
  })
