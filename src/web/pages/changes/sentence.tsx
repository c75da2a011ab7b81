import type { ComponentChildren } from 'preact'
import type { Entry } from './feed.ts'
import { type Names, nameOf, placeOf } from './names.ts'
import type { Transaction, Value } from './transactions.ts'

const KIND_WORDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  note: ['the note', 'notes'],
  record: ['', 'rows'],
  tag: ['the tag', 'tags'],
  property: ['the property', 'properties'],
  structure: ['the structure', 'structures'],
  preset: ['the preset', 'presets'],
  view: ['the view', 'views'],
  lens: ['the lens', 'lenses'],
  quick_access_item: ['the Quick Access item', 'Quick Access items'],
  file: ['the file', 'files'],
  webhook: ['the webhook to', 'webhooks'],
}

const VERBS: Readonly<Record<Entry['op'], string>> = {
  created: 'Created',
  updated: 'Changed',
  deleted: 'Deleted',
  restored: 'Restored',
  purged: 'Removed for good',
}

const MAX_NAMED_FIELDS = 3

/** What was done, as the beginning of a sentence. */
function verbOf(entries: readonly Entry[], names: Names): string {
  const { kind, op, structure_id } = entries[0] as Entry
  if (kind === 'note' && op === 'deleted') return 'Moved to the trash:'
  if (op !== 'updated') return VERBS[op]
  const keys = [...new Set(entries.flatMap(({ changed }) => changed))]
  if (kind === 'note' && keys.includes('content')) return 'Edited'
  if (keys.length === 0 || keys.length > MAX_NAMED_FIELDS) return VERBS.updated
  const fields = names.structures.get(structure_id ?? '')?.fields ?? []
  const labels = keys.map(
    (key) => fields.find((field) => field.key === key)?.label ?? key.replaceAll('_', ' '),
  )
  return `Changed ${labels.join(' and ')} of`
}

function Objects({ entries, names }: { entries: readonly Entry[]; names: Names }) {
  const [first] = entries as readonly [Entry]
  const [one, many] = KIND_WORDS[first.kind] ?? ['', first.kind]
  const ids = new Set(entries.map(({ id }) => id))
  if (ids.size > 1) {
    const structure = names.structures.get(first.structure_id ?? '')?.name
    return <strong>{`${ids.size.toLocaleString()} ${many}${structure ? ` in ${structure}` : ''}`}</strong>
  }
  const to = placeOf(first)
  const name = nameOf(first, names)
  return (
    <>
      {one && `${one} `}
      {to === undefined ? <strong>{name}</strong> : <a href={to}>{name}</a>}
    </>
  )
}

/** By kind, operation and structure, in the order in which they were made. */
function groupsOf({ entries }: Transaction): Entry[][] {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries.toReversed()) {
    const key = `${entry.kind} ${entry.op} ${entry.structure_id}`
    groups.set(key, [...(groups.get(key) ?? []), entry])
  }
  return [...groups.values()]
}

/** What a write did, in a sentence. */
export function Sentence({ transaction, names }: { transaction: Transaction; names: Names }) {
  const groups = groupsOf(transaction)
  return (
    <>
      {groups.map((entries, at) => (
        <span key={`${entries[0]?.kind} ${entries[0]?.op} ${entries[0]?.structure_id}`}>
          {at > 0 && ', '}
          {at > 0 ? lowerFirst(verbOf(entries, names)) : verbOf(entries, names)}{' '}
          <Objects entries={entries} names={names} />
        </span>
      ))}
    </>
  )
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const LONGEST = 60

/** A value as a person reads it, cut short. */
export function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  const text =
    typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : JSON.stringify(value)
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`
}

interface ValuesProps {
  readonly values: readonly Value[]
  readonly label: (key: string) => string
}

/** Old values struck through, and what they became. */
export function Values({ values, label }: ValuesProps): ComponentChildren {
  return values.map(({ key, before, after }, at) => (
    <span key={key}>
      {at > 0 && ', '}
      {label(key)} <del class="was">{shown(before)}</del>
      {after !== undefined && (
        <>
          <span class="to">→</span>
          <ins>{shown(after)}</ins>
        </>
      )}
    </span>
  ))
}
