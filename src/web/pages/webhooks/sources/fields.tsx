import { Icon } from '../../../components/icon.tsx'
import type { Answer } from '../../../data/api.ts'
import type { Tried } from '../../../data/sources.ts'
import { ValueView } from '../../records/value-view.tsx'
import { type Draft, type Entry, entryText, READ_AS, READ_AS_LABELS } from './map-draft.ts'

export type Structure = Answer<'/v1/records/structures/{nameOrId}', 'get'>['structure']

interface FieldsProps {
  readonly structure: Structure
  readonly draft: Draft
  readonly selected: string
  readonly tried: Tried | undefined
  readonly isReadOnly: boolean
  readonly onSelect: (key: string) => void
  readonly onChange: (key: string, entry: Entry | undefined) => void
}

const isShown = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** The fields of the row: the source of each value, its conversion, and the result for the open event. */
export const Fields = ({ structure, tried, ...rest }: FieldsProps) => (
  <table class="table map-table" aria-label={`Fields of ${structure.name}`}>
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">From event</th>
        <th scope="col">Convert</th>
        <th scope="col" class="number">
          Result
        </th>
      </tr>
    </thead>
    <tbody>
      {structure.fields.map((field) => (
        <FieldRow key={field.key} field={field} value={tried?.data?.[field.key]} {...rest} />
      ))}
    </tbody>
  </table>
)

interface RowProps extends Omit<FieldsProps, 'structure' | 'tried'> {
  readonly field: Structure['fields'][number]
  readonly value: unknown
}

function FieldRow({ field, value, draft, selected, isReadOnly, onSelect, onChange }: RowProps) {
  const { key, label, type, unique, required } = field
  const entry = draft[key]
  const isSelected = selected === key
  return (
    <tr class={isSelected ? 'chosen' : undefined}>
      <th scope="row" class="top-start">
        {isReadOnly ? (
          label
        ) : (
          <label class="check">
            <input type="radio" name="field" checked={isSelected} onChange={() => onSelect(key)} />
            {label}
          </label>
        )}
        {unique && <small class="hint">identifies the row</small>}
        {required && !entry && <small class="hint">required</small>}
      </th>
      <td class="bottom-start">
        {entry ? (
          <span class="line">
            <code class="break">{entryText(entry)}</code>
            {!isReadOnly && (
              <button
                type="button"
                class="button quiet icon-only"
                aria-label={`Unmap ${label}`}
                onClick={() => onChange(key, undefined)}
              >
                <Icon name="x" />
              </button>
            )}
          </span>
        ) : (
          <span class="dim">not mapped</span>
        )}
      </td>
      <td class="bottom-end">
        {entry && READ_AS[type] && (
          <select
            class="input"
            aria-label={`Convert ${label}`}
            disabled={isReadOnly}
            value={entry.as ?? ''}
            onChange={({ currentTarget }) => {
              const { as: _, ...rest } = entry
              onChange(key, currentTarget.value === '' ? rest : { ...rest, as: currentTarget.value })
            }}
          >
            <option value="">unchanged</option>
            {READ_AS[type].map((as) => (
              <option key={as} value={as}>
                {READ_AS_LABELS[as]}
              </option>
            ))}
          </select>
        )}
      </td>
      <td
        class={type === 'number' ? 'top-end number' : 'top-end'}
        title={value === undefined ? undefined : String(value)}
      >
        {isShown(value) ? <ValueView field={field} value={value} /> : '–'}
      </td>
    </tr>
  )
}
