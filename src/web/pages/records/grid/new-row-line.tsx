import type { TargetedKeyboardEvent } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { ErrorText, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { faultIn } from '../../../data/request.ts'
import { createRow } from '../actions.ts'
import type { Field } from '../model.ts'
import { isReference } from '../references.ts'
import { RefusalText } from '../refusal-text.tsx'
import { faultyField } from '../refusals.ts'
import { newRowOf, readNewRow } from '../row/new-row-draft.ts'
import { type Suggestion, suggest } from '../suggestions.ts'
import { type FrozenStarts, frozenAt } from './frozen.ts'
import { ROLES } from './roles.ts'
import type { GridState } from './state.ts'

/** A line that is always under the rows: what is typed there becomes a row with Enter, and the line is empty again. */
export function NewRowLine({ grid, starts }: { grid: GridState; starts: FrozenStarts }) {
  const { structure, fields, source } = grid
  const line = useRef<HTMLTableRowElement>(null)
  const draft = newRowOf(structure.id)
  const [fault, setFault] = useState<{ key: string; error: string }>()
  const goTo = (key: string | undefined) =>
    line.current?.querySelector<HTMLElement>(key === undefined ? 'input' : `[name="${key}"]`)?.focus()
  const refuse = (key: string, error: string) => {
    setFault({ key, error })
    goTo(key)
  }
  const write = useAction(async () => {
    const { data, faults } = await readNewRow(structure, draft.texts)
    const [first] = Object.entries(faults)
    if (first) return refuse(...first)
    if (Object.keys(data).length === 0) return
    try {
      await createRow(structure.id, data)
    } catch (error) {
      const { message } = error as Error
      return refuse(faultyField(structure.fields, faultIn(error))?.key ?? '', message)
    }
    setFault(undefined)
    draft.clear()
    source.refreshNow()
    goTo(undefined)
  })
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.isComposing) return
    if (event.key === 'Enter') void write.run()
    else if (event.key === 'Escape') {
      draft.clear()
      setFault(undefined)
    } else return
    event.preventDefault()
  }
  const isBegun = Object.values(draft.texts).some((text) => text !== '')
  const errorId = useId()
  return (
    <>
      {fault && (
        <tr {...ROLES.row} class="note-row">
          <td {...ROLES.cell} colSpan={fields.length + 1}>
            <ErrorText id={errorId}>
              <RefusalText sentence={fault.error} />
            </ErrorText>
          </td>
        </tr>
      )}
      <tr {...ROLES.row} class="new-row" ref={line} onKeyDown={onKeyDown}>
        <td {...ROLES.cell} class="margin">
          <Icon name="plus" />
        </td>
        {fields.map((field, place) => (
          <td key={field.key} {...ROLES.cell} {...frozenAt(starts, place, '')}>
            <LineInput
              field={field}
              text={draft.texts[field.key] ?? ''}
              placeholder={place === 0 ? 'New row' : ''}
              isReached={isBegun || place === 0}
              errorId={fault?.key === field.key ? errorId : undefined}
              onText={(text) => draft.type(field.key, text)}
            />
          </td>
        ))}
      </tr>
    </>
  )
}

interface LineInputProps {
  readonly field: Field
  readonly text: string
  readonly placeholder: string
  /** Whether Tab leads here. */
  readonly isReached: boolean
  readonly errorId: string | undefined
  readonly onText: (text: string) => void
}

function LineInput({ field, text, placeholder, isReached, errorId, onText }: LineInputProps) {
  const list = useId()
  const [found, setFound] = useState<readonly Suggestion[]>([])
  const options = field.type === 'bool' ? ['yes', 'no'] : (field.options ?? found.map(({ label }) => label))
  const offers = isReference(field) || options.length > 0
  const look = (part: string) => {
    if (isReference(field)) suggest(field, part).then(setFound, () => undefined)
  }
  return (
    <>
      <input
        class="input new-cell"
        name={field.key}
        aria-label={`New row: ${field.label}`}
        aria-invalid={errorId !== undefined}
        aria-describedby={errorId}
        placeholder={placeholder || FORMS[field.type]}
        inputMode={field.type === 'number' ? 'decimal' : undefined}
        autocomplete="off"
        tabIndex={isReached ? 0 : -1}
        list={offers ? list : undefined}
        value={text}
        onFocus={() => look(text)}
        onInput={({ currentTarget: { value } }) => {
          look(value)
          onText(value)
        }}
      />
      {offers && (
        <datalist id={list}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </>
  )
}

/** How values are typed whose form is not plain. */
const FORMS: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD',
  time: 'HH:MM',
  datetime: 'YYYY-MM-DD HH:MM',
}
