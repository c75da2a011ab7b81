import type { TargetedKeyboardEvent } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ErrorText, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { useSerialized } from '../../../components/serialized.ts'
import { useId } from '../../../components/use-id.ts'
import { type Field, isComputed } from '../../../data/records/model.ts'
import { isReference } from '../../../data/records/references.ts'
import { faultyField } from '../../../data/records/refusals.ts'
import { type Suggestion, suggest } from '../../../data/records/suggestions.ts'
import { faultIn } from '../../../data/request.ts'
import { search } from '../../../router.ts'
import { createRow } from '../actions.ts'
import { newTable } from '../new-table.ts'
import { RefusalText } from '../refusal-text.tsx'
import { newRowOf, readNewRow } from '../row/new-row-draft.ts'
import { currentDirection } from '../view.ts'
import { type FrozenStarts, frozenAt } from './frozen.ts'
import { ROLES } from './roles.ts'
import type { GridState } from './state.ts'

/** A line below the rows to type a new row. Enter creates the row and clears the line. */
export function NewRowLine({ grid, starts }: { grid: GridState; starts: FrozenStarts }) {
  const { structure, fields, source } = grid
  const line = useRef<HTMLTableRowElement>(null)
  const draft = newRowOf(structure.id)
  const showLast = useRef(false)
  useLayoutEffect(() => {
    if (newTable.peek() !== structure.id || fields.length === 0) return
    newTable.value = undefined
    goTo(undefined)
  }, [structure.id, fields.length])
  const [fault, setFault] = useState<{ key: string; error: string }>()
  const goTo = (key: string | undefined) =>
    line.current?.querySelector<HTMLElement>(key === undefined ? 'input' : `[name="${key}"]`)?.focus()
  const refuse = (key: string, error: string) => {
    setFault({ key, error })
    goTo(key)
  }
  const create = useAction(async () => {
    const texts = draft.current()
    const { data, errors } = await readNewRow(structure, texts)
    const [first] = Object.entries(errors)
    if (first) return refuse(...first)
    if (Object.keys(data).length === 0) return
    // Cleared at once, so that the next row can be typed while this one is created.
    draft.clear()
    setFault(undefined)
    goTo(undefined)
    try {
      await createRow(structure, data)
    } catch (error) {
      const { message } = error as Error
      draft.restore(texts)
      return refuse(faultyField(structure.fields, faultIn(error))?.key ?? '', message)
    }
    source.refreshNow()
    showLast.current = isAsEntered()
  })
  const write = useSerialized(create.run)
  // A row in the order of entry appears directly above this line.
  const lines = source.lines.value
  useLayoutEffect(() => {
    const scroller = line.current?.closest('.scroll')
    if (!showLast.current || !scroller) return
    showLast.current = false
    scroller.scrollTop = scroller.scrollHeight
  }, [lines])
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.isComposing) return
    if (event.key === 'Enter') void write()
    else if (event.key === 'Escape') {
      draft.clear()
      setFault(undefined)
    } else return
    event.preventDefault()
  }
  const isStarted = Object.values(draft.texts).some((text) => text !== '')
  const errorId = useId()
  return (
    <>
      {fault && (
        <tr {...ROLES.row} class="note-row">
          <td {...ROLES.cell} colSpan={fields.length + 1}>
            <ErrorText id={errorId}>
              <RefusalText message={fault.error} />
            </ErrorText>
          </td>
        </tr>
      )}
      <tr {...ROLES.row} class="new-row" ref={line} onKeyDown={onKeyDown}>
        <td {...ROLES.cell} class="margin">
          <Icon name="plus" />
        </td>
        {fields.map((field, index) => (
          <td key={field.key} {...ROLES.cell} {...frozenAt(starts, index, '')}>
            {!isComputed(field) && (
              <LineInput
                field={field}
                text={draft.texts[field.key] ?? ''}
                placeholder={index === 0 ? 'New row' : ''}
                isTabStop={isStarted || index === 0}
                errorId={fault?.key === field.key ? errorId : undefined}
                onText={(text) => draft.type(field.key, text)}
              />
            )}
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

  readonly isTabStop: boolean
  readonly errorId: string | undefined
  readonly onText: (text: string) => void
}

function LineInput({ field, text, placeholder, isTabStop, errorId, onText }: LineInputProps) {
  const list = useId()
  const [found, setFound] = useState<readonly Suggestion[]>([])
  const options = field.type === 'bool' ? ['yes', 'no'] : (field.options ?? found.map(({ label }) => label))
  const hasSuggestions = isReference(field) || options.length > 0
  const update = (part: string) => {
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
        placeholder={placeholder || PLACEHOLDERS[field.type]}
        inputMode={field.type === 'number' ? 'decimal' : undefined}
        autocomplete="off"
        tabIndex={isTabStop ? 0 : -1}
        list={hasSuggestions ? list : undefined}
        value={text}
        onFocus={() => update(text)}
        onInput={({ currentTarget: { value } }) => {
          update(value)
          onText(value)
        }}
      />
      {hasSuggestions && (
        <datalist id={list}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </>
  )
}

const isAsEntered = () => search.peek().get('sort') === null && currentDirection() === 'asc'

/** Formats that need an example. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD',
  time: 'HH:MM',
  datetime: 'YYYY-MM-DD HH:MM',
}
