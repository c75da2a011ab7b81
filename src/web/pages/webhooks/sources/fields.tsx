import { type Column, DataTable } from '../../../components/data-table.tsx'
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

type Field = Structure['fields'][number]

/** The fields of the row: the source of each value, its conversion, and the result for the open event. */
export function Fields({ structure, draft, selected, tried, isReadOnly, onSelect, onChange }: FieldsProps) {
  const columns: readonly Column<Field>[] = [
    {
      label: 'Field',
      corner: 'top-start',
      isRowHeading: true,
      cell: ({ key, label, unique, required }) => (
        <>
          {isReadOnly ? (
            label
          ) : (
            <label class="check">
              <input type="radio" name="field" checked={selected === key} onChange={() => onSelect(key)} />
              {label}
            </label>
          )}
          {unique && <small class="hint">identifies the row</small>}
          {required && !draft[key] && <small class="hint">required</small>}
        </>
      ),
    },
    {
      label: 'From event',
      corner: 'bottom-start',
      cell: ({ key, label }) => {
        const entry = draft[key]
        if (!entry) return <span class="dim">not mapped</span>
        return (
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
        )
      },
    },
    {
      label: 'Convert',
      corner: 'bottom-end',
      cell: (field) => {
        const entry = draft[field.key]
        return entry && <Conversion {...{ field, entry, isReadOnly, onChange }} />
      },
    },
    {
      label: 'Result',
      corner: 'top-end',
      isNumber: true,
      cell: (field) => {
        const value = tried?.data?.[field.key]
        return isShown(value) ? (
          <span title={String(value)}>
            <ValueView field={field} value={value} />
          </span>
        ) : (
          '–'
        )
      },
    },
  ]
  return (
    <DataTable
      label={`Fields of ${structure.name}`}
      look="map-table"
      columns={columns}
      items={structure.fields}
      keyOf={({ key }) => key}
      highlight={({ key }) => (key === selected ? 'chosen' : undefined)}
    />
  )
}

interface ConversionProps extends Pick<FieldsProps, 'isReadOnly' | 'onChange'> {
  readonly field: Field
  readonly entry: Entry
}

function Conversion({ field: { key, label, type }, entry, isReadOnly, onChange }: ConversionProps) {
  if (!READ_AS[type]) return null
  return (
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
  )
}
