import type { VNode } from 'preact'
import type { GroupMatch, OperatorName } from '../../../filter/operators.ts'
import type { Option } from '../select.tsx'

/*
 * The description of a filter language for the condition editor. Filters over rows, filter trees over notes, the
 * filters of webhooks and the conditions of sources each have one, and convert drafts from and to the API's format.
 */

/** A condition while it is edited, in any filter language. */
export interface Draft {
  readonly field: string
  /** The typed part of the field, such as a JSON pointer. */
  readonly operand?: string
  readonly op: OperatorName
  readonly value: unknown
}

export interface DraftGroup {
  readonly match: GroupMatch
  readonly children: readonly (Draft | DraftGroup)[]
}

export const isGroup = (node: Draft | DraftGroup): node is DraftGroup => 'match' in node

export interface ValueProps {
  readonly draft: Draft
  /** The accessible name of a control: "From", or "From of condition 2" among several conditions. */
  readonly labelOf: (part: string) => string
  /** The id of the error that is shown for the conditions. */
  readonly errorId: string | undefined
  readonly onChange: (value: unknown) => void
}

export interface FilterLanguage {
  /** Empty where the field cannot be changed. */
  readonly fields: readonly Option[]
  readonly operandOf?: (
    field: string,
  ) => { readonly label: string; readonly placeholder: string; readonly initial: string } | undefined
  /** The initial one first. */
  readonly operatorsOf: (field: string) => readonly OperatorName[]
  /** Whether values are points in time, which are before or after each other. */
  readonly isTime?: (field: string) => boolean
  /** The value for a field and operator: the one before if it fits, otherwise an initial one. */
  readonly valueFor: (field: string, op: OperatorName, before: unknown) => unknown
  readonly renderValue: (props: ValueProps) => VNode | null
}

/** A condition on a field, with the operator and value of the one before where they fit. */
export function draftOn(language: FilterLanguage, field: string, before?: Draft): Draft {
  const operators = language.operatorsOf(field)
  const [initial = 'eq'] = operators
  const op = before && operators.includes(before.op) ? before.op : initial
  const operand = language.operandOf?.(field)?.initial
  return {
    field,
    ...(operand !== undefined && { operand }),
    op,
    value: language.valueFor(field, op, before?.value),
  }
}

/** A condition on the first field. */
export const newDraft = (language: FilterLanguage): Draft => draftOn(language, language.fields[0]?.[0] ?? '')
