import '../../styles/conditions.ts'
import type { ComponentChildren } from 'preact'
import { type OperatorName, takesValue } from '../../../filter/operators.ts'
import { operatorWords } from '../../../filter/words.ts'
import { Button } from '../form.tsx'
import { Icon } from '../icon.tsx'
import { Select } from '../select.tsx'
import { type Draft, draftOn, type FilterLanguage } from './language.ts'

interface ConditionProps {
  readonly language: FilterLanguage
  readonly draft: Draft
  /** Such as "condition 1", where a screen has several. */
  readonly name?: string | undefined
  readonly errorId?: string | undefined
  readonly onChange: (draft: Draft) => void
  /** The button that removes the condition. */
  readonly children?: ComponentChildren
}

/** The controls of one condition: its field, comparison and value. */
export function ConditionFields({ language, draft, name, errorId, onChange, children }: ConditionProps) {
  const { field, op } = draft
  const labelOf = (part: string) => (name === undefined ? part : `${part} of ${name}`)
  const operand = language.operandOf?.(field)
  const isTime = language.isTime?.(field) ?? false
  return (
    <div class="condition">
      <div class="parts">
        {language.fields.length > 0 && (
          <Select
            aria-label={labelOf('Field')}
            options={language.fields}
            value={field}
            onChange={(selected) => onChange(draftOn(language, selected, draft))}
          />
        )}
        {operand && (
          <input
            class="input code"
            aria-label={labelOf(operand.label)}
            placeholder={operand.placeholder}
            value={draft.operand ?? ''}
            onInput={({ currentTarget }) => onChange({ ...draft, operand: currentTarget.value })}
          />
        )}
        <Select
          name="op"
          aria-label={labelOf('Comparison')}
          options={operatorsWith(op, language.operatorsOf(field)).map((known) => [
            known,
            operatorWords(known, isTime),
          ])}
          value={op}
          onChange={(selected) => {
            const next = selected as OperatorName
            onChange({ ...draft, op: next, value: language.valueFor(field, next, draft.value) })
          }}
        />
        {takesValue(op) &&
          language.renderValue({
            draft,
            labelOf,
            errorId,
            onChange: (value) => onChange({ ...draft, value }),
          })}
      </div>
      {children}
    </div>
  )
}

/** A stored condition may have an operator that is not offered. */
const operatorsWith = (op: OperatorName, offered: readonly OperatorName[]) =>
  offered.includes(op) ? offered : [op, ...offered]

export const RemoveButton = ({ name, onClick }: { name: string; onClick: () => void }) => (
  <Button kind="quiet icon-only" aria-label={`Remove ${name}`} onClick={onClick}>
    <Icon name="x" />
  </Button>
)
