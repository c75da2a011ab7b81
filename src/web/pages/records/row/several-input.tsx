import { useRef, useState } from 'preact/hooks'
import { joinedValues, splitValues } from '../../../../lib/csv-cells.ts'
import { Icon } from '../../../components/icon.tsx'
import { useId } from '../../../components/use-id.ts'
import { targetOf } from '../../../data/records/labels.ts'
import type { Field } from '../../../data/records/model.ts'
import { isReference } from '../../../data/records/references.ts'
import { type Suggestion, suggest } from '../../../data/records/suggestions.ts'

interface SeveralInputProps {
  /** The attributes of the control. */
  readonly shared: object
  readonly field: Field
  /** The values, as `joinedValues` writes them; ids of references, or typed labels. */
  readonly text: string
  readonly onText: (text: string) => void
  readonly onDone: ((text: string) => void) | undefined
}

/** Several values as chips, and an input that adds one, with suggestions for references. */
export function SeveralInput({ shared, field, text, onText, onDone }: SeveralInputProps) {
  const list = useId()
  const [found, setFound] = useState<readonly Suggestion[]>([])
  const typed = useRef('')
  const values = splitValues(text)
  const labelOf = (value: string) => (isReference(field) ? (targetOf(field, value)?.label ?? '…') : value)
  const save = (next: readonly string[]) => {
    const joined = joinedValues([...new Set(next)])
    onText(joined)
    onDone?.(joined)
  }
  const update = (part: string) => {
    typed.current = part
    if (!isReference(field)) return
    void suggest(field, part).then(
      (suggestions) => part === typed.current && setFound(suggestions),
      () => {},
    )
  }
  const add = (input: HTMLInputElement) => {
    const added = splitValues(input.value).map(
      (part) => found.find(({ label }) => label === part)?.id ?? part,
    )
    input.value = ''
    update('')
    if (added.length > 0) save([...values, ...added])
  }
  return (
    <span class="stack tight">
      {values.length > 0 && (
        <span class="chips">
          {values.map((value) => (
            <span key={value} class="chip">
              <span class="what">{labelOf(value)}</span>
              <button
                type="button"
                aria-label={`Remove ${labelOf(value)} from ${field.label}`}
                onClick={() => save(values.filter((one) => one !== value))}
              >
                <Icon name="x" />
              </button>
            </span>
          ))}
        </span>
      )}
      <input
        {...shared}
        list={list}
        placeholder="Add a value"
        onFocus={() => update('')}
        onInput={({ currentTarget }) => update(currentTarget.value)}
        onChange={({ currentTarget }) => add(currentTarget)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing || event.currentTarget.value === '') return
          event.preventDefault()
          add(event.currentTarget)
        }}
      />
      <datalist id={list}>
        {found.map(({ id, label }) => (
          <option key={id} value={label} />
        ))}
      </datalist>
    </span>
  )
}
