import type { ComponentChildren } from 'preact'
import { Button, ErrorText } from '../form.tsx'
import { Icon } from '../icon.tsx'
import { useId } from '../use-id.ts'
import { ConditionFields, RemoveButton } from './condition-fields.tsx'
import { type Draft, type FilterLanguage, newDraft } from './language.ts'

const MAX_CONDITIONS = 20

interface ListProps {
  readonly language: FilterLanguage
  readonly drafts: readonly Draft[]
  readonly legend: string
  /** Begins the names of the controls, which are unique on a screen. */
  readonly name?: string
  readonly error?: string | undefined
  readonly isReadOnly?: boolean
  readonly onChange: (drafts: readonly Draft[]) => void
  /** Further actions. */
  readonly children?: ComponentChildren
}

/** Edits conditions that must all match. */
export function ConditionList(props: ListProps) {
  const {
    language,
    drafts,
    legend,
    name = 'condition',
    error,
    isReadOnly = false,
    onChange,
    children,
  } = props
  const id = useId()
  return (
    <fieldset class="field" disabled={isReadOnly}>
      <legend class="label">{legend}</legend>
      {drafts.map((draft, index) => {
        const itemName = `${name} ${index + 1}`
        return (
          <ConditionFields
            key={itemName}
            language={language}
            draft={draft}
            name={itemName}
            errorId={error === undefined ? undefined : id}
            onChange={(changed) => onChange(drafts.with(index, changed))}
          >
            <RemoveButton name={itemName} onClick={() => onChange(drafts.toSpliced(index, 1))} />
          </ConditionFields>
        )
      })}
      {error !== undefined && <ErrorText id={id}>{error}</ErrorText>}
      {!isReadOnly && (
        <p class="actions">
          <Button
            disabled={drafts.length >= MAX_CONDITIONS}
            onClick={() => onChange([...drafts, newDraft(language)])}
          >
            <Icon name="plus" />
            Add {name}
          </Button>
          {children}
        </p>
      )}
    </fieldset>
  )
}
