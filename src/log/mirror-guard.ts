import { Refusal } from '../lib/refusal.ts'
import type { Reader } from '../storage/reader.ts'
import type { ChangeKind, ChangeOperation } from '../storage/schema/changes.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/** The address of the remote if the database is a copy; undefined otherwise. */
export const remoteOf = ({ sql }: Reader): string | undefined =>
  sql.get<{ remote: string }>('SELECT remote FROM mirrors LIMIT 1')?.remote

/** Whether the database is a copy without the bytes of files. */
export const lacksFileContents = ({ sql }: Reader): boolean =>
  sql.get("SELECT 1 FROM mirrors WHERE selection ->> 'hasFiles' = 0") !== undefined

/** The refusal of every write in a read-only copy. */
const readOnlyCopy = (remote: string): Refusal =>
  new Refusal('mirror', `This is a read-only copy of ${remote}; change it there.`)

interface Copy {
  readonly remote: string
  readonly isWritable: number
  readonly isForwarding: number
}

/** The description of the copy if the database is one; looked up at the first write. */
const newKnown = (): { copy?: Copy | null } => ({})

function copyIn(reader: Reader): Copy | null {
  const known = reader.sql.state.of(newKnown)
  if (known.copy === undefined)
    known.copy =
      reader.sql.get<Copy>(
        'SELECT remote, is_writable AS isWritable, is_forwarding AS isForwarding FROM mirrors LIMIT 1',
      ) ?? null
  return known.copy
}

/** Whether the database is a copy with writable notes and records. */
export const isWritableCopy = (reader: Reader): boolean => copyIn(reader)?.isWritable === 1

/** Whether a copy posts events of its record changes. */
export const forwardsChanges = (reader: Reader): boolean => copyIn(reader)?.isForwarding === 1

/** The address of the remote of a server that is a copy, and whether notes and records can be changed in it. */
export interface CopySettings {
  readonly mirrorOf?: string | undefined
  readonly isMirrorWritable?: boolean | undefined
}

/**
 * Refuses a call before it begins: every write in a read-only copy, and in a writable one those that cannot change notes
 * and records alone. `checkLocalChange` decides about the others.
 */
export function refuseInCopy({ mirrorOf, isMirrorWritable }: CopySettings, isLocal: boolean): void {
  if (mirrorOf === undefined) return
  if (!isMirrorWritable) throw readOnlyCopy(mirrorOf)
  if (!isLocal) throw onlyNotesAndRecords(mirrorOf)
}

/** Refuses to begin the log of another workspace in a copy. */
export function refuseNewLog(reader: Reader): void {
  const copy = copyIn(reader)
  if (copy) refuseInCopy({ mirrorOf: copy.remote, isMirrorWritable: copy.isWritable === 1 }, false)
}

/** The kinds that a write in a writable copy may change, including those that change together with notes. */
const LOCAL: readonly ChangeKind[] = ['note', 'record', 'tag', 'quick_access_item', 'comment']

const isLocal = (kind: ChangeKind, operation: ChangeOperation): boolean =>
  LOCAL.includes(kind) &&
  (kind !== 'tag' || operation === 'created') &&
  (kind !== 'comment' || operation === 'restored')

/** Returns the object with this index before its update or deletion, as JSON text. */
export type StateBefore = (index: number) => string | null

/**
 * Called with every logged change, and with the states before it of objects that are updated or deleted. Refuses changes
 * that a copy does not accept. A writable copy saves the state of the remote at the first local change of an object;
 * there is none of a created object. Nothing else asks the copy before a write.
 */
export function checkLocalChange(
  tx: Tx,
  operation: ChangeOperation,
  {
    kind,
    structureId = null,
  }: Omit<SavedObject, 'id' | 'structureId'> & { readonly structureId?: string | null | undefined },
  ids: readonly SavedObject['id'][],
  before?: StateBefore,
): void {
  const copy = copyIn(tx)
  if (copy === null) return
  if (copy.isWritable === 0) throw readOnlyCopy(copy.remote)
  const isNew = operation === 'created' || operation === 'restored'
  // A change of a note that only follows another one, as the deletion of a tag, has no state before.
  if (!isLocal(kind, operation) || !(isNew || before || operation === 'purged'))
    throw onlyNotesAndRecords(copy.remote)
  // Items and comments come and go with their object, and a purged object is saved since its deletion.
  if (operation === 'purged' || kind === 'comment' || (kind === 'quick_access_item' && isNew)) return
  for (const [index, id] of ids.entries())
    saveRemote(tx, { kind, id, structureId }, () => (isNew ? null : (before?.(index) ?? null)))
}

const onlyNotesAndRecords = (remote: string): Refusal =>
  new Refusal(
    'mirror',
    `This is a copy of ${remote} in which only notes and records are changed; change everything else there.`,
  )

const KNOWN = 'SELECT held IS NOT NULL AS isHeld FROM mirror_overlay WHERE kind = ? AND id = ?'
const KEEP = 'INSERT INTO mirror_overlay (kind, id, structure, base, remote) VALUES (?, ?, ?, ?4, ?4)'

interface SavedObject {
  readonly kind: ChangeKind
  readonly id: string | number
  readonly structureId: string | null
}

function saveRemote(tx: Tx, { kind, id, structureId }: SavedObject, remote: () => string | null): void {
  const known = tx.sql.get<{ isHeld: number }>(KNOWN, kind, String(id))
  if (!known) tx.sql.run(KEEP, kind, String(id), structureId, remote())
  if (known?.isHeld === 1)
    throw new Refusal(
      'stale',
      `The ${kind} ${id} was changed here and cannot be shown so beside what the remote has; "daybook mirror diff" says why. Reset it first: "daybook mirror reset ${id}".`,
    )
}
