import { CHANGE_KINDS, type ChangeKind, type Difference, differenceOf } from '../changes/entries.ts'
import { changedKeys, previousValues, type RecordData } from '../changes/record-data.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { type CopyTransaction, instantOf } from './apply/copy-transaction.ts'
import { type Compared, compare, DERIVED } from './comparison.ts'
import type { RemoteObject } from './remote-objects.ts'
import type { StagedEntry, StagedObject } from './stage.ts'
import { findState } from './state.ts'

/** How much the clocks of the remote and of the copy may differ. */
const CLOCKS_DIFFER_MS = 60_000

const SYSTEM = { surface: 'system', user_id: null, key_id: null, name: null }

/**
 * Turns a stage that holds the whole workspace into one that holds what differs from the copy, with an entry for each
 * difference: what is the same is taken out, and what the stage lacks is gone.
 */
export function reconcile(copy: CopyTransaction): void {
  const { tx, workspacePk, stage } = copy
  const newSince = (findState(tx)?.lastContactAt ?? 0) - CLOCKS_DIFFER_MS
  for (const kind of CHANGE_KINDS)
    for (const object of compare(tx, workspacePk, stage, kind)) {
      if (object.current === object.json) stage.remove(kind, object.seq)
      else {
        const entry = differenceEntry(tx, kind, object, newSince)
        if (entry) stage.addEntry(entry)
      }
    }
}

/** What the log of the copy says of an object that is not as it was; undefined where no attribute differs. */
export function differenceEntry(
  tx: Tx,
  kind: ChangeKind,
  object: Omit<Compared, 'seq'>,
  newSince = Number.POSITIVE_INFINITY,
): StagedEntry | undefined {
  const { current, json } = object
  if (json === null) return entryOf(tx, kind, object, 'deleted')
  if (current === null) return entryOf(tx, kind, object, 'created', undefined, createdAfter(newSince, json))
  const difference = differenceBetween(kind, JSON.parse(current), JSON.parse(json))
  return difference.changed.length > 0 ? entryOf(tx, kind, object, 'updated', difference) : undefined
}

/** When an object was made, if that was after an instant; an older one that is new to the copy was imported, or restored. */
function createdAfter(instant: number, json: string): string | undefined {
  const { created_at: createdAt } = JSON.parse(json) as { created_at?: string }
  return createdAt !== undefined && instantOf(createdAt) > instant ? createdAt : undefined
}

function entryOf(
  tx: Tx,
  kind: ChangeKind,
  { id, structureId }: Pick<StagedObject, 'id' | 'structureId'>,
  op: 'created' | 'updated' | 'deleted',
  { changed, previous }: Difference = { changed: [], previous: {} },
  at: string = isoTimestamp(tx.now),
): StagedEntry {
  return {
    transaction: 'copied anew',
    at,
    kind,
    op,
    id: kind === 'tag' ? Number(id) : id,
    structure_id: kind === 'structure' ? id : structureId,
    changed,
    previous,
    actor: SYSTEM,
  }
}

export function differenceBetween(kind: ChangeKind, before: RemoteObject, after: RemoteObject): Difference {
  if (kind === 'record') {
    const [old, now] = [before.data as RecordData, after.data as RecordData]
    const keys = changedKeys(old, now)
    return { changed: keys, previous: previousValues(keys, old) }
  }
  const { changed, previous } = differenceOf(before, after, DERIVED[kind])
  if (kind !== 'note') return { changed, previous }
  const { content: _, properties, ...old } = previous
  if (properties === undefined) return { changed, previous: old }
  return { changed, previous: { ...old, properties: changedValues(before.properties, after.properties) } }
}

/** The old values of the properties that changed, null where there was none. */
function changedValues(before: unknown, after: unknown): Record<string, unknown> {
  const [old, now] = [Object(before) as Record<string, unknown>, Object(after) as Record<string, unknown>]
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  const changed = keys.filter((key) => JSON.stringify(old[key]) !== JSON.stringify(now[key]))
  return Object.fromEntries(changed.map((key) => [key, old[key] ?? null]))
}
