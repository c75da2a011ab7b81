import '../../../components/typed-dates.ts'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { joinedValues, splitValues } from '../../../../lib/csv-cells.ts'
import { ErrorText } from '../../../components/form.tsx'
import { targetOf } from '../../../data/records/labels.ts'
import type { Field } from '../../../data/records/model.ts'
import { isReference } from '../../../data/records/references.ts'
import { type Suggestion, suggest } from '../../../data/records/suggestions.ts'
import { inputKind, localInstant } from '../../../data/records/values.ts'
import { RefusalText } from '../refusal-text.tsx'
import { SeveralInput } from './several-input.tsx'

interface FieldControlProps {
  readonly field: Field
  readonly text: string
  readonly error?: string | undefined
  readonly isFirst?: boolean
  readonly onText: (text: string) => void
  /** Called when the user leaves the field. */
  readonly onDone?: (text: string) => void
}

/** A labelled control for a field of a row. */
export function FieldControl({ field, text, error, isFirst, onText, onDone }: FieldControlProps) {
  const id = `value-${field.key}`
  const root = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (isFirst) root.current?.querySelector<HTMLElement>('.input')?.focus()
  }, [isFirst])
  const shared = {
    id,
    class: 'input',
    'aria-invalid': error !== undefined,
    'aria-describedby': error === undefined ? undefined : `${id}-why`,
    'aria-required': field.required,
  }
  const options = field.type === 'bool' ? ['yes', 'no'] : field.type === 'select' ? field.options : null
  const several = field.multiple === true
  const unit = field.unit === null ? '' : `, ${field.unit}`
  return (
    <div class="field" ref={root}>
      <label for={id}>
        {field.label}
        {unit}
        {field.required && <small> required</small>}
      </label>
      {several && options ? (
        <Choices name={id} options={options} text={text} onText={onText} onDone={onDone} />
      ) : several ? (
        <SeveralInput {...{ shared, field, text, onText, onDone }} />
      ) : options ? (
        <select
          {...shared}
          value={text}
          onChange={({ currentTarget: { value } }) => {
            onText(value)
            onDone?.(value)
          }}
        >
          <option value="">No value</option>
          {text !== '' && !options.includes(text) && <option>{text}</option>}
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : isReference(field) ? (
        <ReferenceInput shared={shared} field={field} id={text} onText={onText} onDone={onDone} />
      ) : field.type === 'text' ? (
        <textarea
          {...shared}
          rows={Math.min(10, Math.max(1, text.split('\n').length, Math.ceil(text.length / 40)))}
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
          onBlur={({ currentTarget }) => onDone?.(currentTarget.value)}
        />
      ) : (
        <input
          {...shared}
          {...inputKind(field.type)}
          value={field.type === 'datetime' ? localInstant(text) : text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
          onBlur={({ currentTarget }) => onDone?.(currentTarget.value)}
        />
      )}
      {error !== undefined && (
        <ErrorText id={`${id}-why`}>
          <RefusalText message={error} />
        </ErrorText>
      )}
    </div>
  )
}

interface ChoicesProps {
  readonly name: string
  readonly options: readonly string[]
  readonly text: string
  readonly onText: (text: string) => void
  readonly onDone: ((text: string) => void) | undefined
}

/** A checkbox for each option; values outside the options stay until they are unchecked. */
function Choices({ name, options, text, onText, onDone }: ChoicesProps) {
  const chosen = splitValues(text)
  const all = [...options, ...chosen.filter((value) => !options.includes(value))]
  return (
    <span class="checks">
      {all.map((option) => (
        <label key={option}>
          <input
            type="checkbox"
            name={name}
            checked={chosen.includes(option)}
            onChange={({ currentTarget: { checked } }) => {
              const next = checked ? [...chosen, option] : chosen.filter((value) => value !== option)
              onText(joinedValues(next))
              onDone?.(joinedValues(next))
            }}
          />{' '}
          {option}
        </label>
      ))}
    </span>
  )
}

interface ReferenceInputProps {
  readonly shared: object
  readonly field: Field
  readonly id: string
  readonly onText: (text: string) => void
  readonly onDone?: ((text: string) => void) | undefined
}

/** Suggests objects by label while the user types; the value is the id. */
function ReferenceInput({ shared, field, id, onText, onDone }: ReferenceInputProps) {
  const [found, setFound] = useState<readonly Suggestion[]>([])
  const typed = useRef('')
  const label = id === '' ? '' : (targetOf(field, id)?.label ?? id)
  const list = `options-${field.key}`
  const update = (part: string) => {
    typed.current = part
    void suggest(field, part).then(
      (suggestions) => part === typed.current && setFound(suggestions),
      () => {},
    )
  }
  const idOf = (text: string) =>
    text === label ? id : (found.find((suggestion) => suggestion.label === text)?.id ?? text)
  return (
    <>
      <input
        key={label}
        {...shared}
        list={list}
        defaultValue={label}
        onFocus={() => update('')}
        onInput={({ currentTarget }) => update(currentTarget.value)}
        onChange={({ currentTarget }) => onText(idOf(currentTarget.value))}
        onBlur={({ currentTarget }) => onDone?.(idOf(currentTarget.value))}
      />
      <datalist id={list}>
        {found.map((suggestion) => (
          <option key={suggestion.id} value={suggestion.label} />
        ))}
      </datalist>
    </>
  )
}
