import type { Figure, Figures } from '../../../data/records/grouping.ts'
import type { Field } from '../../../data/records/model.ts'
import { isNaming } from '../../../data/records/naming-fields.ts'
import type { GridState } from './state.ts'

/* Summaries of a column: of all rows in the foot, and of the rows of a group in its heading. */

export interface SummaryKind {
  readonly label: string
  /** Restricts the counted rows. */
  readonly op?: 'not_empty' | 'is_empty'
  readonly of: (figures: Figures) => number | null
}

const COUNT_SUMMARIES: Readonly<Record<string, SummaryKind>> = {
  filled: { label: 'Filled', op: 'not_empty', of: ({ count }) => count },
  empty: { label: 'Empty', op: 'is_empty', of: ({ count }) => count },
}
const NUMBER_SUMMARIES: Readonly<Record<string, SummaryKind>> = {
  sum: { label: 'Sum', of: ({ sum }) => sum },
  average: { label: 'Average', of: ({ average }) => average },
  min: { label: 'Min', of: ({ min }) => min },
  max: { label: 'Max', of: ({ max }) => max },
  ...COUNT_SUMMARIES,
}

/** Larger tables have no default summary: it is computed only if the user selects one. */
const MAX_ROWS_BY_DEFAULT = 100_000

/** The selectable summaries of a field; roll-ups have none. */
export const summariesOf = ({ type }: Field): Readonly<Record<string, SummaryKind>> =>
  type === 'rollup' ? {} : type === 'number' ? NUMBER_SUMMARIES : COUNT_SUMMARIES

/** The name of the selected summary of a column; empty for none. */
export function selectedSummary({ columns, source }: GridState, field: Field): string {
  const isSmall = (source.total.value ?? Number.POSITIVE_INFINITY) <= MAX_ROWS_BY_DEFAULT
  const isQuantity = field.type === 'number' && field.format?.style !== 'plain' && !isNaming(field.label)
  return columns.summaryOf(field) ?? (isQuantity && isSmall ? 'sum' : '')
}

/** The figures that a summary of a field needs. */
export const figureOf = ({ key, type }: Field, { op }: SummaryKind): Figure => ({
  key,
  isNumber: type === 'number',
  op,
})
