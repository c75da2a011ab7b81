import type { ComponentChildren } from 'preact'
import { formatNumber } from '../../data/formats.ts'
import { addressOf, type Names, nameOf, shortId } from './names.ts'
import type { Count, Entry, Transaction, Value } from './transactions.ts'

const KIND_NAMES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  note: ['the note', 'notes'],
  record: ['', 'rows'],
  tag: ['the tag', 'tags'],
  property: ['the property', 'properties'],
  structure: ['the table', 'tables'],
  preset: ['the preset', 'presets'],
  view: ['the view', 'views'],
  lens: ['the lens', 'lenses'],
  quick_access_item: ['the Quick Access item', 'Quick Access items'],
  file: ['the file', 'files'],
  webhook: ['the webhook to', 'webhooks'],
  source: ['the source', 'sources'],
  row_view: ['the table view', 'table views'],
  comment: ['the comment', 'comments'],
  share: ['a share link', 'share links'],
}

const VERBS: Readonly<Record<Entry['op'], string>> = {
  created: 'Created',
  updated: 'Changed',
  deleted: 'Deleted',
  restored: 'Restored',
  purged: 'Permanently deleted',
}

const MAX_NAMED_FIELDS = 3

/** The changes of a transaction that have one kind, operation and table. */
interface Group {
  readonly count: Count
  /** Undefined if not all changes of the group are loaded. */
  readonly entries: readonly Entry[] | undefined
  readonly first: { readonly id: string; readonly label: string | null } | undefined
}

/** Groups by kind, operation and table, in the order of the changes. */
function groupsOf({ counts, entries, objects }: Transaction): Group[] {
  return counts.map((count) => {
    const isOfGroup = ({ kind, op, structure_id }: Omit<Count, 'n'>) =>
      kind === count.kind && op === count.op && structure_id === count.structure_id
    const own = entries?.filter(isOfGroup)
    return {
      count,
      entries: own?.length === count.n ? own : undefined,
      first: objects.find(isOfGroup),
    }
  })
}

function verbOf({ count: { kind, op, structure_id }, entries = [] }: Group, names: Names): string {
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

function Objects({ group, names }: { group: Group; names: Names }) {
  const { count, entries, first } = group
  const [one, many] = KIND_NAMES[count.kind] ?? ['', count.kind]
  const objects = entries ? new Set(entries.map(({ id }) => id)).size : count.n
  if (objects > 1) {
    const structure = names.structures.get(count.structure_id ?? '')?.name
    return <strong>{`${formatNumber(objects)} ${many}${structure ? ` in ${structure}` : ''}`}</strong>
  }
  // The change log stores no names of shares.
  if (count.kind === 'share') return one
  const entry = entries?.[0]
  const to = entry && addressOf(entry)
  const name = entry ? nameOf(entry, names) : (first?.label ?? (first ? shortId(first.id) : 'one'))
  return (
    <>
      {one && `${one} `}
      {to === undefined ? <strong>{name}</strong> : <a href={to}>{name}</a>}
    </>
  )
}

/** Describes a transaction in a sentence. */
export function Sentence({ transaction, names }: { transaction: Transaction; names: Names }) {
  return (
    <>
      {groupsOf(transaction).map((group, at) => (
        <span key={JSON.stringify(group.count)}>
          {at > 0 && ', '}
          {at > 0 ? lowerFirst(verbOf(group, names)) : verbOf(group, names)}{' '}
          <Objects group={group} names={names} />
        </span>
      ))}
    </>
  )
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const MAX_LENGTH = 60

/** A value as text, shortened. */
export function shortValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  const text =
    typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : JSON.stringify(value)
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`
}

interface ValuesProps {
  readonly values: readonly Value[]
  readonly label: (key: string) => string
}

/** Old values struck through, followed by the new ones. */
export function Values({ values, label }: ValuesProps): ComponentChildren {
  return values.map(({ key, before, after }, at) => (
    <span key={key}>
      {at > 0 && ', '}
      {label(key)} <del class="was">{shortValue(before)}</del>
      {after !== undefined && (
        <>
          <span class="arrow">→</span>
          <ins>{shortValue(after)}</ins>
        </>
      )}
    </span>
  ))
}
