import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { beginTyping } from '../../../components/typed-dates.ts'
import { useId } from '../../../components/use-id.ts'
import { labelsOf } from '../../../data/records/labels.ts'
import type { Field } from '../../../data/records/model.ts'
import { isReference } from '../../../data/records/references.ts'
import { type Suggestion, suggest } from '../../../data/records/suggestions.ts'
import { readTyped, typedText } from '../../../data/records/typed-text.ts'
import { inputKind, localInstant } from '../../../data/records/values.ts'

/** The reason an editor closed. The text is saved unless it is `escape`. */
export type Closing = 'enter' | 'tab' | 'back-tab' | 'blur' | 'escape'

interface EditorProps {
  readonly field: Field
  readonly text: string
  /** True if typing opened the editor: the caret then goes to the end instead of selecting the text. */
  readonly isTyped: boolean
  readonly onClose: (closing: Closing, text: string) => void
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** The control of an edited cell. */
export function Editor({ field, text, isTyped, onClose }: EditorProps) {
  const control = useRef<Control>(null)
  const isClosed = useRef(false)
  const first = useRef<string | undefined>(undefined)
  const startText = useRef(text)
  const list = useSuggestions(field, text)
  const listId = useId()
  useLayoutEffect(() => {
    control.current?.focus()
    first.current = control.current?.value
    const text = control.current
    if (!text || !('select' in text)) return
    if (text instanceof HTMLInputElement && (isTyped || text.value === ''))
      beginTyping(text, startText.current)
    if (!isTyped) text.select()
    else if (text.selectionStart !== null) text.setSelectionRange(text.value.length, text.value.length)
  }, [isTyped])
  const close = (closing: Closing) => {
    if (isClosed.current) return
    isClosed.current = true
    // A control can lose parts of a value, such as fractions of a second or CR LF, so untouched text is returned as it was.
    const value = control.current?.value ?? ''
    const isUntouched = !isTyped && value === first.current
    onClose(closing, isUntouched ? text : readTyped(field.type, list.idOf(value)))
  }
  const shared = {
    class: 'input cell',
    'aria-label': field.label,
    onBlur: () => close('blur'),
    onKeyDown: (event: TargetedKeyboardEvent<Control>) => {
      event.stopPropagation()
      const closing = closingOf(event)
      if (closing === undefined) return
      event.preventDefault()
      close(closing)
    },
  }
  const options = field.type === 'bool' ? ['yes', 'no'] : field.type === 'select' ? field.options : null
  if (field.multiple)
    return (
      <textarea
        {...shared}
        ref={(found) => {
          control.current = found
        }}
        rows={3}
        title={options?.join('; ')}
      >
        {isReference(field) ? labelsOf(field, text) : text}
      </textarea>
    )
  if (options) return <Choice {...shared} control={control} options={options} text={text} />
  if (field.type === 'text')
    return (
      <textarea
        {...shared}
        ref={(found) => {
          control.current = found
        }}
        rows={Math.min(6, text.split('\n').length)}
      >
        {text}
      </textarea>
    )
  return (
    <>
      <input
        {...shared}
        ref={(found) => {
          control.current = found
        }}
        {...inputKind(field.type)}
        list={isReference(field) ? listId : undefined}
        defaultValue={
          field.type === 'datetime' ? localInstant(text) : typedText(field.type, list.labelOf(text))
        }
        onInput={isReference(field) ? ({ currentTarget }) => list.update(currentTarget.value) : undefined}
      />
      {isReference(field) && (
        <datalist id={listId}>
          {list.found.map(({ id, label }) => (
            <option key={id} value={label} />
          ))}
        </datalist>
      )}
    </>
  )
}

function closingOf({ key, shiftKey, altKey, isComposing }: KeyboardEvent): Closing | undefined {
  if (isComposing) return undefined
  if (key === 'Escape') return 'escape'
  if (key === 'Tab') return shiftKey ? 'back-tab' : 'tab'
  return key === 'Enter' && !altKey && !shiftKey ? 'enter' : undefined
}

interface ChoiceProps {
  readonly control: { current: Control | null }
  readonly options: readonly string[]
  readonly text: string
}

function Choice({ control, options, text, ...shared }: ChoiceProps) {
  const all = text === '' || options.includes(text) ? options : [text, ...options]
  return (
    <select
      {...shared}
      ref={(found) => {
        control.current = found
      }}
      defaultValue={text}
    >
      <option value="">No value</option>
      {all.map((option) => (
        <option key={option} value={option} selected={option === text}>
          {option}
        </option>
      ))}
    </select>
  )
}

/** Suggestions for a reference while the user types. */
function useSuggestions(field: Field, text: string) {
  const [found, setFound] = useState<readonly Suggestion[]>([])
  const typed = useRef('')
  const update = (part: string) => {
    typed.current = part
    void suggest(field, part).then(
      (list) => part === typed.current && setFound(list),
      () => {},
    )
  }
  useEffect(() => {
    if (isReference(field)) update('')
  }, [field.key])
  return {
    found,
    update,
    labelOf: (value: string) => (isReference(field) ? '' : value),
    /** The id of the selected suggestion, else the typed text; the old id if the field is empty. */
    idOf: (value: string) => {
      if (!isReference(field)) return value
      if (value === '') return text
      return found.find(({ label }) => label === value)?.id ?? value
    },
  }
}
