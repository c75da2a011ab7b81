import { useState } from 'preact/hooks'
import { ErrorText } from '../../components/form.tsx'
import { formatNumber } from '../../data/formats.ts'
import type { Column } from '../../data/records/conditions.ts'
import { ME, parseFilterValue } from '../../data/records/filter-values.ts'
import { readBuckets } from '../../data/records/grouping.ts'
import { valueText } from '../../data/records/labels.ts'
import { readMembers } from '../../data/records/members.ts'
import type { Structure, Value } from '../../data/records/model.ts'
import { editText } from '../../data/records/values.ts'
import { Refused } from '../../data/request.ts'
import { useQuery } from '../../data/use-query.ts'
import { ChoiceChip } from './value-view.tsx'
import { currentRowQuery } from './view.ts'

/** The field to find a value appears above this number of values. */
const FIND_THRESHOLD = 8
/** Values listed at once; the field finds the others. */
const MAX_SHOWN = 100

interface ValueListProps {
  readonly structure: Structure
  readonly column: Column
  readonly selected: readonly unknown[]
  /** Of the condition among those of the filter; the counts leave it out. Undefined without a condition. */
  readonly index: number | undefined
  readonly onChange: (values: readonly unknown[]) => void
}

/** The values of a field to tick, with the number of rows that the other filters leave them. */
export function ValueList({ structure, column, selected, index, onChange }: ValueListProps) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const { values, countOf, failure } = useValues(structure, column, index)
  const all = [...new Set([...values, ...selected])]
  const part = text.trim().toLowerCase()
  const found = part === '' ? all : all.filter((value) => labelOf(column, value).toLowerCase().includes(part))
  const toggle = (value: unknown, isOn: boolean) => {
    const others = selected.filter((other) => other !== value && other !== ME)
    onChange(!isOn ? others : value === ME ? [ME] : [...others, value])
  }
  /** Selects the only value found, else the typed one, which no row may have yet. */
  const addTyped = async () => {
    const [only, ...more] = found
    if (only !== undefined && more.length === 0) toggle(only, true)
    else {
      const parsed = await parseFilterValue(column, text).catch(({ message }: Error) => ({ error: message }))
      if ('error' in parsed) return setError(parsed.error)
      if (parsed.value !== null) toggle(parsed.value, true)
    }
    setText('')
  }
  const isFinding = all.length > FIND_THRESHOLD || failure !== undefined || column.type === 'text'
  return (
    <>
      {isFinding && (
        <input
          class="input"
          type="search"
          aria-label="Find a value"
          placeholder="Find a value"
          autofocus
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            setError(undefined)
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || text.trim() === '') return
            event.preventDefault()
            void addTyped()
          }}
        />
      )}
      {error !== undefined && <ErrorText>{error}</ErrorText>}
      <fieldset class="values" aria-label={`Values of ${column.label}`}>
        {found.slice(0, MAX_SHOWN).map((value, at) => (
          <label key={String(value)}>
            <input
              type="checkbox"
              name="value"
              value={editText(value as Value)}
              autofocus={at === 0 && !isFinding}
              checked={selected.includes(value)}
              onChange={({ currentTarget }) => toggle(value, currentTarget.checked)}
            />
            <ValueLabel column={column} value={value} />
            <span class="at-end">{countOf(value)}</span>
          </label>
        ))}
      </fieldset>
      {found.length > MAX_SHOWN && <p class="dim">{formatNumber(found.length - MAX_SHOWN)} more values</p>}
      {found.length === 0 && part !== '' && <p class="dim">Press Enter to filter by “{text.trim()}”.</p>}
      {failure !== undefined && (
        <p class="dim">
          {failure instanceof Refused ? 'There are too many values to list. Type one.' : failure.message}
        </p>
      )}
    </>
  )
}

/** The values of a field, most frequent first; options in their own order. */
function useValues(structure: Structure, column: Column, index: number | undefined) {
  const { field } = column
  const rowQuery = currentRowQuery(structure)
  const query = { ...rowQuery, filter: rowQuery.filter.filter((_, at) => at !== index) }
  const { data, error } = useQuery(
    ['record', 'values', structure.id, JSON.stringify(query.filter), column.key],
    async () => (field ? await readBuckets(query, { field, period: undefined }) : []),
    { placeholderData: (before) => before },
  )
  const { data: members } = useQuery(['structure', 'members'], readMembers, {
    enabled: field?.type === 'user',
  })
  const counts = new Map(data?.map(({ value, count }) => [value, count]))
  const used = (data ?? [])
    .toSorted((one, other) => other.count - one.count)
    .flatMap(({ value }) => (value === null ? [] : value))
  const known: readonly unknown[] =
    field?.type === 'user'
      ? [...(field.multiple ? [] : [ME]), ...(members ?? []).map(({ id }) => id)]
      : (column.options ?? [])
  return {
    values: [...new Set([...known, ...used])],
    countOf: (value: unknown) => {
      if (value === ME || !data) return ''
      return formatNumber(counts.get(value as string) ?? 0)
    },
    failure: error && !data ? error : undefined,
  }
}

const labelOf = ({ field }: Column, value: unknown): string =>
  value === ME
    ? 'Me'
    : field
      ? valueText({ ...field, multiple: undefined } as typeof field, value as Value)
      : String(value)

const ValueLabel = ({ column, value }: { column: Column; value: unknown }) =>
  column.field?.type === 'select' ? (
    <ChoiceChip field={column.field} value={String(value)} />
  ) : (
    <span class="cut" dir="auto">
      {labelOf(column, value)}
    </span>
  )
