import { Icon } from '../../components/icon.tsx'
import { targetOf } from './labels.ts'
import type { Field, Value } from './model.ts'
import { isReference } from './references.ts'
import { showValue } from './values.ts'

interface ShownValueProps {
  readonly field: Field
  readonly value: Value
  /** Writes another value of a box; without it the box is only seen. */
  readonly onTick?: ((value: boolean) => void) | undefined
}

/** A value as a person recognises it: choices in their colours, boxes, references and links to be followed. */
export function ShownValue({ field, value, onTick }: ShownValueProps) {
  if (field.type === 'bool') return <Box label={field.label} value={value} onTick={onTick} />
  if (value === undefined) return null
  if (isReference(field)) return <Reference field={field} id={String(value)} />
  if (field.type === 'select') return <ChoiceChip field={field} value={String(value)} />
  if (field.type === 'text' && WEB_ADDRESS.test(String(value))) return <WebLink url={String(value)} />
  return <>{showValue(field, value)}</>
}

/** The colour of a choice follows from its place in the list. */
export const hueOf = (field: Pick<Field, 'options'>, value: string): string => {
  const place = field.options?.indexOf(value) ?? -1
  return place < 0 ? '' : `hue-${place % 10}`
}

export const ChoiceChip = ({ field, value }: { field: Pick<Field, 'options'>; value: string }) => (
  <span class={`choice-chip ${hueOf(field, value)}`}>{value}</span>
)

interface BoxProps {
  readonly label: string
  readonly value: Value
  readonly onTick: ((value: boolean) => void) | undefined
}

/** A cell that is a box; the keyboard changes it as it changes other cells. */
const Box = ({ label, value, onTick }: BoxProps) => (
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

/** A reference opens what it names. */
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

const WebLink = ({ url }: { url: string }) => (
  <a class="reference" href={url} tabIndex={-1} target="_blank" rel="noopener noreferrer" title={url}>
    <span class="cut">{url.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '')}</span>
  </a>
)
