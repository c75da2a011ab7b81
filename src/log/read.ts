import { isoTimestamp } from '../lib/dates.ts'
import { scanOf } from '../lib/scan.ts'
import type { Reader } from '../storage/reader.ts'
import type { ChangeKind, ChangeOperation } from '../storage/schema/changes.ts'
import type { SqlPart } from '../storage/sql.ts'
import { cursorFormatter } from './cursors.ts'
import { parseDifference } from './difference.ts'
import {
  type ActorRow,
  endOfKeys,
  idOf,
  keyOf,
  kindNumber,
  kindOf,
  kindRange,
  numberOf,
  operationOf,
  storedId,
} from './log.ts'
import { seenBy } from './private.ts'

interface StoredChange {
  readonly key: number
  readonly position: number
  readonly at: number
  readonly actor: number
  readonly kind: number
  /** In hexadecimal. */
  readonly object: string
  readonly structure: string
  readonly replaced: number | null
  readonly detail: string | null
}

/* Selected as text, because every binary value would be a separate object. `hex` of null is empty. */
const COLUMNS_BUT_DETAIL =
  'key, position, at, actor, kind, hex(object) AS object, hex(structure) AS structure, revision AS replaced'
const COLUMNS = `${COLUMNS_BUT_DETAIL}, detail`

export interface Change {
  readonly number: number
  /** The number of the first change in its transaction. */
  readonly first: number
  readonly at: number
  readonly actor: number
  readonly kind: ChangeKind
  readonly operation: ChangeOperation
  readonly id: string | number
  readonly structureId: string | null
  /** The pk of a revision, or the previous `updated_at` of a record (`storage/schema/changes.ts`). */
  readonly replaced: number | null
  readonly detail: string | null
}

function changeOf(row: StoredChange): Change {
  const number = numberOf(row.key)
  return {
    number,
    first: number - row.position,
    at: row.at,
    actor: row.actor,
    kind: kindOf(row.kind),
    operation: operationOf(row.kind),
    id: idOf(row.object),
    structureId: row.structure === '' ? null : String(idOf(row.structure)),
    replaced: row.replaced,
    detail: row.detail,
  }
}

/** Structures with visible changes: all except the exceptions, or only the exceptions. */
interface SeenStructures {
  readonly others: boolean
  /** By id. */
  readonly exceptions: readonly string[]
}

/** The changes visible to a reader without access to the whole workspace. */
export interface VisibleChanges {
  readonly hidden: readonly ChangeKind[]
  /**
   * Whether notes are visible, with their shares and the subscriptions to them. If files are visible, too, this
   * includes files attached to notes.
   */
  readonly notes: boolean
  /** Whether files are visible; if notes are, too, this includes the subscriptions to files. */
  readonly files: boolean
  readonly definitions: SeenStructures
  /** Applies to rows, and to other objects that belong to the rows of a structure. */
  readonly rows: SeenStructures
}

export interface ChangeFilter {
  readonly kinds?: readonly ChangeKind[]
  readonly structureId?: string
  /** The pks of the authors. */
  readonly actors?: readonly number[]
  /** The id of the reader; excludes changes that are private to other users. */
  readonly userId?: string
  readonly visible?: VisibleChanges | undefined
}

const isSeen = ({ others, exceptions }: SeenStructures): SqlPart => ({
  text: `structure ${others ? 'NOT IN' : 'IN'} (SELECT unhex(value, '-') FROM json_each(?))`,
  values: [JSON.stringify(exceptions)],
})

const isOfKind = (kind: ChangeKind): SqlPart => ({ text: 'kind BETWEEN ? AND ?', values: kindRange(kind) })

/** Excludes changes of a kind that name no structure. */
const withoutStructure = (kind: ChangeKind): SqlPart => ({
  text: 'NOT (structure IS NULL AND kind BETWEEN ? AND ?)',
  values: kindRange(kind),
})

/** The id of the changed object, as text. */
const OBJECT_ID = `lower(${[
  [1, 8],
  [9, 4],
  [13, 4],
  [17, 4],
  [21, 12],
]
  .map(([from, length]) => `substr(hex(object), ${from}, ${length})`)
  .join(` || '-' || `)})`

/** The same, but keeps changes of objects that belong to one kind alone, as their row or logged deletion shows. */
function unlessAlone(kind: 'file' | 'webhook', table: string, isAlone: string): SqlPart {
  const { text, values } = withoutStructure(kind)
  const row = `EXISTS (SELECT 1 FROM ${table} t WHERE t.id = ${OBJECT_ID} AND ${isAlone})`
  return {
    text: `(${text} OR ${row} OR (kind = ? AND detail ->> '$.alone'))`,
    values: [...values, kindNumber(kind, 'deleted')],
  }
}

/** Changes without a structure are filtered by kind. */
function visibleSql({ hidden, notes, files, definitions, rows }: VisibleChanges): SqlPart[] {
  const isDefinition = isOfKind('structure')
  const [seen, rowsSeen] = [isSeen(definitions), isSeen(rows)]
  return [
    ...hidden.map(isOfKind).map(({ text, values }) => ({ text: `NOT (${text})`, values })),
    ...(notes ? [] : [withoutStructure('share'), withoutStructure('webhook'), withoutStructure('comment')]),
    ...(files || !notes ? [] : [unlessAlone('webhook', 'webhooks', "t.kind = 'note'")]),
    ...(notes || !files ? [] : [unlessAlone('file', 'files', 't.note IS NULL')]),
    {
      text: `(structure IS NULL OR CASE WHEN ${isDefinition.text} THEN ${seen.text} ELSE ${rowsSeen.text} END)`,
      values: [...isDefinition.values, ...seen.values, ...rowsSeen.values],
    },
  ]
}

export function filterSql({ kinds, structureId, actors, userId, visible }: ChangeFilter): SqlPart {
  const parts: string[] = []
  const values: (number | string | Uint8Array)[] = []
  if (kinds) {
    parts.push(`AND (${kinds.map(() => 'kind BETWEEN ? AND ?').join(' OR ')})`)
    values.push(...kinds.flatMap(kindRange))
  }
  if (structureId !== undefined) {
    parts.push('AND structure = ?')
    values.push(storedId(structureId))
  }
  if (actors) {
    parts.push('AND actor IN (SELECT value FROM json_each(?))')
    values.push(JSON.stringify(actors))
  }
  if (userId !== undefined) {
    const seen = seenBy(userId)
    parts.push(`AND ${seen.text}`)
    values.push(userId)
  }
  for (const part of visible ? visibleSql(visible) : []) {
    parts.push(`AND ${part.text}`)
    values.push(...(part.values as number[]))
  }
  return { text: parts.join(' '), values }
}

interface Between {
  readonly first: number
  readonly last: number
  readonly limit: number
}

/** The changes after a number, up to `upTo`, in order; at most `limit`. */
export const selectAfter = (
  workspace: number,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
  filter?: ChangeFilter,
): SqlPart => selectBetween(workspace, { first: after + 1, last: upTo, limit }, 'ASC', filter)

/** The changes before a number, down to `downTo`, newest first; at most `limit`. */
export const selectBefore = (
  workspace: number,
  { before, downTo, limit }: { readonly before: number; readonly downTo: number; readonly limit: number },
  filter?: ChangeFilter,
): SqlPart => selectBetween(workspace, { first: downTo, last: before - 1, limit }, 'DESC', filter)

function selectBetween(
  workspace: number,
  { first, last, limit }: Between,
  order: 'ASC' | 'DESC',
  filter: ChangeFilter = {},
): SqlPart {
  const { text, values } = filterSql(filter)
  const scan = scanOf('key')
  const end = Math.min(keyOf(workspace, last), endOfKeys(workspace) - 1)
  return {
    text: `FROM changes WHERE ${scan.text} AND key BETWEEN ? AND ? ${text} ORDER BY key ${order} LIMIT ?`,
    values: [keyOf(workspace, first), end, ...values, limit],
  }
}

interface OfObject {
  readonly after?: number
  readonly before?: number | undefined
  readonly limit: number
}

/** The changes of one object, newest first, or its changes between two numbers. */
export function selectOfObject(
  workspace: number,
  id: string | number,
  { after = 0, before, limit }: OfObject,
): SqlPart {
  const scan = scanOf('key')
  const end = endOfKeys(workspace)
  return {
    text: `FROM changes WHERE object = ? AND ${scan.text} AND key > ? AND key < ? ORDER BY key DESC LIMIT ?`,
    values: [
      storedId(id),
      keyOf(workspace, after),
      before === undefined ? end : Math.min(keyOf(workspace, before), end),
      limit,
    ],
  }
}

/**
 * Yields selected changes one by one, because each may have much text. The same selection must not run again before the
 * last change.
 */
export function* eachChange({ sql }: Reader, { text, values }: SqlPart): Generator<Change> {
  for (const row of sql.each<StoredChange>(`SELECT ${COLUMNS} ${text}`, ...values)) yield changeOf(row)
}

export const changesAfter = (
  reader: Reader,
  workspace: number,
  range: Parameters<typeof selectAfter>[1],
): Change[] => [...eachChange(reader, selectAfter(workspace, range))]

/** The changes of one object as `selectOfObject` selects them, without their text. */
export function changesOfObject(
  reader: Reader,
  workspace: number,
  id: string | number,
  range: OfObject,
): Change[] {
  return headsOf(reader, selectOfObject(workspace, id, range))
}

export const detailOf = ({ sql }: Reader, workspace: number, number: number): string | null =>
  sql.scalar('SELECT detail FROM changes WHERE key = ?', keyOf(workspace, number))

/** Selected changes without their text. */
export const headsOf = ({ sql }: Reader, { text, values }: SqlPart): Change[] =>
  sql.all<StoredChange>(`SELECT ${COLUMNS_BUT_DETAIL}, NULL AS detail ${text}`, ...values).map(changeOf)

/** Takes changes until their text exceeds this length; then it ends before the next transaction. */
export function takeTransactions(
  changes: Iterable<Change>,
  maxLength: number,
): { readonly taken: Change[]; readonly isCut: boolean } {
  const taken: Change[] = []
  let length = 0
  for (const change of changes) {
    if (length > maxLength && taken.at(-1)?.first !== change.first) return { taken, isCut: true }
    taken.push(change)
    length += change.detail?.length ?? 0
  }
  return { taken, isCut: false }
}

/** The ids of the objects of these kinds that changed after a number, without duplicates. */
export function changedAfter(
  { sql }: Reader,
  workspace: number,
  after: number,
  kinds: readonly ChangeKind[],
): string[] {
  const { text, values } = filterSql({ kinds })
  const objects = sql.column<string>(
    `SELECT DISTINCT hex(object) FROM changes WHERE key > ? AND key < ? ${text}`,
    keyOf(workspace, after),
    endOfKeys(workspace),
    ...values,
  )
  return objects.map((object) => String(idOf(object)))
}

/** The changes of the transaction whose first change has this number; at most `limit`. */
export const changesOfTransaction = (
  reader: Reader,
  workspace: number,
  first: number,
  limit: number,
): Change[] =>
  changesAfter(reader, workspace, { after: first - 1, upTo: first + limit * 2, limit }).filter(
    (change) => change.first === first,
  )

interface Actor {
  readonly presented: object
  readonly json: string
}

export class ChangeWriter {
  readonly cursorOf: (number: number) => string
  readonly #actors = new Map<number, Actor>()

  constructor(
    private readonly reader: Reader,
    workspace: number,
  ) {
    this.cursorOf = cursorFormatter(reader, workspace)
  }

  /** A version of an object without the braces: the changed attributes, the time and the author. */
  versionMembers({ number, at, operation, detail, actor }: Change): string {
    return `"cursor":"${this.cursorOf(number)}","at":"${isoTimestamp(at)}","op":"${operation}",${differenceMembers(operation, detail)},"actor":${this.actorOf(actor).json}`
  }

  /** A change in the feed, without the braces. */
  changeMembers(change: Change): string {
    const { number, first, at, kind, operation, id, structureId, detail, actor } = change
    const structure = structureId === null ? 'null' : `"${structureId}"`
    const idJson = typeof id === 'number' ? String(id) : `"${id}"`
    return `"cursor":"${this.cursorOf(number)}","transaction":"${this.cursorOf(first)}","at":"${isoTimestamp(at)}","kind":"${kind}","op":"${operation}","id":${idJson},"structure_id":${structure},${differenceMembers(operation, detail)},"actor":${this.actorOf(actor).json}`
  }

  actorOf(pk: number): Actor {
    const known = this.#actors.get(pk)
    if (known) return known
    const row = this.reader.sql.get<ActorRow>(
      'SELECT surface, user_id AS userId, key_id AS keyId, name FROM change_actors WHERE pk = ?',
      pk,
    )
    const { surface = 'system', userId = null, keyId = null, name = null } = row ?? {}
    const presented = { surface, user_id: userId, key_id: keyId, name }
    const actor = { presented, json: JSON.stringify(presented) }
    this.#actors.set(pk, actor)
    return actor
  }
}

/** The details of operations other than updates are internal. */
function differenceMembers(operation: ChangeOperation, detail: string | null): string {
  if (operation !== 'updated' || detail === null) return '"changed":[],"previous":{}'
  if (detail.startsWith('[')) {
    const { changed, previous } = parseDifference(detail)
    return `"changed":${JSON.stringify(changed)},"previous":${JSON.stringify(previous)}`
  }
  return `"changed":${JSON.stringify(Object.keys(JSON.parse(detail)))},"previous":${detail}`
}

/**
 * The number of the last change before an instant, if the changes from `first` to `last` are in chronological order.
 */
export function positionBefore(
  { sql }: Reader,
  workspace: number,
  instant: number,
  { first, last }: { readonly first: number; readonly last: number },
): number {
  let [low, high] = [first - 1, last]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const at = sql.scalar<number>('SELECT at FROM changes WHERE key = ?', keyOf(workspace, middle))
    if (at < instant) low = middle
    else high = middle - 1
  }
  return low
}
