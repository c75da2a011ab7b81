import { type OperatorName, takesList, takesValue } from '../../../filter/operators.ts'
import { operatorWords } from '../../../filter/words.ts'
import type { Draft, FilterLanguage } from '../../components/conditions/language.ts'
import { listParts, quotedPart, unquoted } from '../../components/conditions/list-text.ts'
import { rowFields } from '../../components/conditions/rows.ts'
import { TextValue } from '../../components/conditions/text-value.tsx'
import { type Option, Select } from '../../components/select.tsx'
import type { Column } from '../../data/records/conditions.ts'
import { parseFilterValue, textsOf } from '../../data/records/filter-values.ts'
import { inputKind } from '../../data/records/values.ts'
import type { Webhook } from '../../data/webhooks.ts'

/* The conditions on rows of a webhook. The value of a draft is its text. */

type Condition = Extract<Webhook['filter'], readonly unknown[]>[number]

const YES_NO: readonly Option[] = [
  ['yes', 'Yes'],
  ['no', 'No'],
]

/** The values to select from; undefined where values are typed. */
function optionsOf(column: Column | undefined, op: OperatorName): readonly Option[] | undefined {
  if (op !== 'eq' && op !== 'neq') return undefined
  if (column?.type === 'bool') return YES_NO
  return column?.type === 'select' ? column.options?.map((option) => [option, option]) : undefined
}

export function rowLanguage(columns: readonly Column[]): FilterLanguage {
  const columnOf = (field: string) => columns.find(({ key }) => key === field)
  return {
    ...rowFields(columns),
    valueFor: (field, op, before = '') => {
      const options = optionsOf(columnOf(field), op)
      return !options || options.some(([option]) => option === before) ? before : (options[0]?.[0] ?? '')
    },
    renderValue: (props) => {
      const { field, op, value } = props.draft
      const column = columnOf(field)
      const options = optionsOf(column, op)
      if (options)
        return (
          <Select
            aria-label={props.labelOf('Value')}
            options={options}
            value={String(value)}
            onChange={props.onChange}
          />
        )
      const isDay = column?.type === 'date' || column?.type === 'time'
      return <TextValue {...props} attributes={isDay && !takesList(op) ? inputKind(column.type) : {}} />
    },
  }
}

/** The conditions on rows; empty for webhooks of notes and files. */
export const conditionsOf = ({ filter }: Pick<Webhook, 'filter'>): readonly Condition[] =>
  Array.isArray(filter) ? filter : []

/** The stored conditions of unedited drafts. The text of a value, such as a label, does not always determine the value. */
const unedited = new WeakMap<Draft, Condition>()

export const draftsOf = (conditions: readonly Condition[], columns: readonly Column[]): readonly Draft[] =>
  conditions.map((condition) => {
    const { field, op, value } = condition
    const column = columns.find(({ key }) => key === field)
    const draft: Draft = { field, op, value: textOf(column, value) }
    unedited.set(draft, condition)
    return draft
  })

function textOf(column: Column | undefined, value: unknown): string {
  const texts = textsOf(column, value)
  return (Array.isArray(value) ? texts.map(quotedPart) : texts).join(', ')
}

/** The edited conditions in the API's format. */
export const readDrafts = (drafts: readonly Draft[], columns: readonly Column[]): Promise<Condition[]> =>
  Promise.all(
    drafts.map(async (draft): Promise<Condition> => {
      const stored = unedited.get(draft)
      if (stored) return stored
      const { field, op, value } = draft
      const condition = { field, op: op as Condition['op'] }
      if (!takesValue(op)) return condition
      const column = columns.find(({ key }) => key === field)
      if (!takesList(op)) return { ...condition, value: await readValue(column, String(value)) }
      const values = listParts(String(value)).map((part) => readValue(column, unquoted(part)))
      return { ...condition, value: await Promise.all(values) }
    }),
  )

/** The value of a text. The server refuses what the field does not accept, such as a text for a number. */
async function readValue(column: Column | undefined, text: string): Promise<unknown> {
  if (!column) return text
  const parsed = await parseFilterValue(column, text)
  return 'error' in parsed ? text : (parsed.value ?? '')
}

/** A condition as a sentence: "total is greater than 0". */
export const conditionText = ({ field, op, value }: Condition): string =>
  [field === '*' ? 'any field' : field, operatorWords(op), textsOf(undefined, value).join(', ')]
    .join(' ')
    .trim()
