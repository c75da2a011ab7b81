import { Check } from '../../components/check.tsx'
import { Icon } from '../../components/icon.tsx'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/form-fields.css' with { type: 'text' }
import type { FormField } from './targets.ts'

addStyles(styles)

/** A field of a form in the making. */
export interface Question extends FormField {
  readonly isAsked: boolean
  /** The question on the page; the label of the field if it is empty. */
  readonly text: string
  readonly help: string
  /** Whether the form requires it; always, if the table does. */
  readonly isRequired: boolean
}

export const questionsFor = (fields: readonly FormField[]): Question[] =>
  fields.map((field) => ({ ...field, isAsked: true, text: '', help: '', isRequired: field.required }))

/** The fields of a form as its options store them. */
export const fieldOptions = (questions: readonly Question[]) =>
  questions
    .filter(({ isAsked }) => isAsked)
    .map(({ key, text, help, isRequired, required }) => ({
      key,
      ...(text.trim() !== '' && { label: text.trim() }),
      ...(help.trim() !== '' && { help: help.trim() }),
      ...(isRequired && !required && { required: true }),
    }))

interface FormFieldsProps {
  readonly questions: readonly Question[]
  readonly onChange: (questions: readonly Question[]) => void
}

/** Selects and orders the fields of a form, and edits their questions. */
export function FormFields({ questions, onChange }: FormFieldsProps) {
  const update = (index: number, change: Partial<Question>) =>
    onChange(questions.map((question, at) => (at === index ? { ...question, ...change } : question)))
  const move = (index: number, by: number) => {
    const moved = [...questions]
    moved.splice(index + by, 0, ...moved.splice(index, 1))
    onChange(moved)
  }
  return (
    <fieldset class="field">
      <legend class="label">Fields on the form</legend>
      <ol class="questions">
        {questions.map(({ key, label, required, isAsked, text, help, isRequired }, index) => (
          <li key={key}>
            <span class="question-head">
              <label class="check">
                <input
                  type="checkbox"
                  name="field"
                  value={key}
                  checked={isAsked}
                  onChange={({ currentTarget }) => update(index, { isAsked: currentTarget.checked })}
                />{' '}
                {label}
              </label>
              <span class="grow" />
              <button
                type="button"
                class="button quiet icon-only"
                aria-label={`Move ${label} up`}
                disabled={index === 0}
                onClick={() => move(index, -1)}
              >
                <span class="upward">
                  <Icon name="back" />
                </span>
              </button>
              <button
                type="button"
                class="button quiet icon-only"
                aria-label={`Move ${label} down`}
                disabled={index === questions.length - 1}
                onClick={() => move(index, 1)}
              >
                <span class="downward">
                  <Icon name="back" />
                </span>
              </button>
            </span>
            {isAsked && (
              <>
                <input
                  class="input"
                  aria-label={`Question for ${label}`}
                  placeholder={label}
                  maxLength={500}
                  value={text}
                  onInput={({ currentTarget }) => update(index, { text: currentTarget.value })}
                />
                <input
                  class="input"
                  aria-label={`Help for ${label}`}
                  placeholder="Help (optional)"
                  maxLength={500}
                  value={help}
                  onInput={({ currentTarget }) => update(index, { help: currentTarget.value })}
                />
                <Check
                  label="Required"
                  checked={isRequired}
                  disabled={required}
                  onChange={(isOn) => update(index, { isRequired: isOn })}
                />
              </>
            )}
          </li>
        ))}
      </ol>
    </fieldset>
  )
}

/** The form roughly as visitors see it. */
export function FormPreview({
  questions,
  introduction,
}: Pick<FormFieldsProps, 'questions'> & { introduction: string }) {
  return (
    <details class="more">
      <summary class="button">Preview</summary>
      <div class="form-preview">
        {introduction !== '' && <p class="verbatim">{introduction}</p>}
        {questions
          .filter(({ isAsked }) => isAsked)
          .map(({ key, label, text, help, isRequired }) => (
            <p key={key}>
              <strong>{text.trim() || label}</strong> {!isRequired && <small>(optional)</small>}
              {help.trim() !== '' && <small class="dim">{help}</small>}
              <span class="input" aria-hidden="true" />
            </p>
          ))}
      </div>
    </details>
  )
}
