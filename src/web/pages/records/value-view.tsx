import { Icon } from '../../components/icon.tsx'
import { targetOf } from '../../data/records/labels.ts'
import type { Field, Value } from '../../data/records/model.ts'
import { isReference } from '../../data/records/references.ts'
import { showValue } from '../../data/records/values.ts'

interface ValueViewProps {
  readonly field: Field
  readonly value: Value
  /** Called with the new value of a checkbox. Without it the checkbox is read-only. */
  readonly onTick?: ((value: boolean) => void) | undefined
}

/** A value for display: choices as coloured chips, booleans as checkboxes, references and URLs as links. */
export function ValueView({ field, value, onTick }: ValueViewProps) {
  if (field.type === 'bool') return <Checkbox label={field.label} value={value} onTick={onTick} />
  if (value === undefined) return null
  if (typeof value === 'object') return <Several field={field} values={value} />
  if (isReference(field)) return <Reference field={field} id={String(value)} />
  if (field.type === 'select') return <ChoiceChip field={field} value={String(value)} />
  const scheme = SCHEMES[field.format?.style ?? '']
  if (scheme !== undefined) return <TextLink scheme={scheme} text={String(value)} />
  if (field.type === 'text' && WEB_ADDRESS.test(String(value))) return <WebLink url={String(value)} />
  return <>{showValue(field, value)}</>
}

const Several = ({ field, values }: { field: Field; values: readonly string[] }) => (
  <>
    {values.map((value) => (
      <span key={value}>
        {isReference(field) ? (
          <Reference field={field} id={value} />
        ) : (
          <ChoiceChip field={field} value={value} />
        )}{' '}
      </span>
    ))}
  </>
)

/** The hue class of a choice, by its position in the options. */
export const hueOf = (field: Pick<Field, 'options'>, value: string): string => {
  const index = field.options?.indexOf(value) ?? -1
  return index < 0 ? '' : `hue-${index % 10}`
}

export const ChoiceChip = ({ field, value }: { field: Pick<Field, 'options'>; value: string }) => (
  <span class={`choice-chip ${hueOf(field, value)}`}>{value}</span>
)

interface CheckboxProps {
  readonly label: string
  readonly value: Value
  readonly onTick: ((value: boolean) => void) | undefined
}

/** A checkbox for the pointer. The keyboard edits it like any other cell. */
const Checkbox = ({ label, value, onTick }: CheckboxProps) => (
  <>
    <input
      type="checkbox"
      class={value === undefined ? 'tick none' : 'tick'}
      title={label}
      aria-hidden="true"
      tabIndex={-1}
      checked={value === true}
      disabled={!onTick}
      onClick={({ currentTarget }) => {
        currentTarget.closest<HTMLElement>('[tabindex="0"]')?.focus()
        onTick?.(currentTarget.checked)
      }}
    />
    <span class="visually-hidden">{value === undefined ? '' : value ? 'yes' : 'no'}</span>
  </>
)

/** A link to the referenced object. */
export function Reference({ field, id }: { field: Field; id: string }) {
  const target = targetOf(field, id)
  if (!target) return <span class="dim">…</span>
  if (target.href === undefined) return <span class="dim">{target.label}</span>
  return (
    <a class="reference" href={target.href} tabIndex={-1}>
      {field.type === 'file' ? <Icon name="file" /> : field.type === 'note' ? <Icon name="notes" /> : null}
      <span class="cut">{target.label}</span>
    </a>
  )
}

const WEB_ADDRESS = /^https?:\/\/[^\s/]+(?:\/\S*)?$/

/** The schemes of links by the style of the text's format. */
const SCHEMES: Readonly<Record<string, string>> = { email: 'mailto:', phone: 'tel:' }

const TextLink = ({ scheme, text }: { scheme: string; text: string }) => (
  <a class="reference" href={scheme + encodeURI(text)} tabIndex={-1}>
    <span class="cut">{text}</span>
  </a>
)

const WebLink = ({ url }: { url: string }) => (
  <a class="reference" href={url} tabIndex={-1} target="_blank" rel="noopener noreferrer" title={url}>
    <span class="cut">{url.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '')}</span>
  </a>
)
