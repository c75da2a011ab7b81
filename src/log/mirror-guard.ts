import { Refusal } from '../lib/refusal.ts'
import type { Reader } from '../storage/reader.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import type { ChangeKind, ChangeOperation } from './entries.ts'
import type { ChangeAuthor } from './log.ts'

/** The address of the remote if the database is a copy; undefined otherwise. */
export const remoteOf = ({ sql }: Reader): string | undefined =>
  sql.get<{ remote: string }>('SELECT remote FROM mirrors LIMIT 1')?.remote

/** Whether the database is a copy without the bytes of files. */
export const lacksFileContents = ({ sql }: Reader): boolean =>
  sql.get("SELECT 1 FROM mirrors WHERE selection ->> 'hasFiles' = 0") !== undefined

/** The refusal of every write in a read-only copy. */
export const readOnlyCopy = (remote: string): Refusal =>
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

/** Refuses a write in a copy. Must be called for writes that are not limited to notes and records. */
export function refuseInMirror(reader: Reader): void {
  const copy = copyIn(reader)
  if (copy) throw copy.isWritable === 1 ? onlyNotesAndRecords(copy.remote) : readOnlyCopy(copy.remote)
}

/** The kinds that a write in a writable copy may change, including those that change together with notes. */
const LOCAL: readonly ChangeKind[] = ['note', 'record', 'tag', 'quick_access_item']

const isLocal = (kind: ChangeKind, operation: ChangeOperation): boolean =>
  LOCAL.includes(kind) && (kind !== 'tag' || operation === 'created')

/**
 * Called with every logged change. Refuses changes that a copy does not accept, and registers objects that exist in a
 * writable copy but not in its remote. Objects of the remote are registered before they change (`beforeLocalChange`).
 */
export function checkLocalChange(
  tx: Tx,
  author: ChangeAuthor,
  operation: ChangeOperation,
  { kind, structureId }: Omit<LocalObject, 'id'>,
  ids: readonly LocalObject['id'][],
): void {
  const copy = copyIn(tx)
  if (copy === null) return
  if (copy.isWritable === 0) throw readOnlyCopy(copy.remote)
  if (!isLocal(kind, operation)) throw onlyNotesAndRecords(copy.remote)
  if (kind === 'quick_access_item' || (operation !== 'created' && operation !== 'restored')) return
  for (const id of ids) beforeLocalChange(tx, author, { kind, id, structureId }, () => null)
}

export const onlyNotesAndRecords = (remote: string): Refusal =>
  new Refusal(
    'mirror',
    `This is a copy of ${remote} in which only notes and records are changed; change everything else there.`,
  )

const KNOWN = 'SELECT held IS NOT NULL AS isHeld FROM mirror_overlay WHERE kind = ? AND id = ?'
const KEEP = 'INSERT INTO mirror_overlay (kind, id, structure, base, remote) VALUES (?, ?, ?, ?4, ?4)'

interface LocalObject {
  readonly kind: ChangeKind
  readonly id: string | number
  readonly structureId?: string | null | undefined
}

/**
 * Called before a write changes or deletes an object. At the first change, a writable copy saves the state of the
 * remote. `remote` returns that state as JSON text, or null if there is none.
 */
export function beforeLocalChange(
  tx: Tx,
  author: ChangeAuthor,
  { kind, id, structureId = null }: LocalObject,
  remote: () => string | null,
): void {
  if (author.isCopying || !isWritableCopy(tx)) return
  const known = tx.sql.get<{ isHeld: number }>(KNOWN, kind, String(id))
  if (!known) tx.sql.run(KEEP, kind, String(id), structureId, remote())
  if (known?.isHeld === 1)
    throw new Refusal(
      'stale',
      `The ${kind} ${id} was changed here and cannot be shown so beside what the remote has; "daybook mirror diff" says why. Reset it first: "daybook mirror reset ${id}".`,
    )
}
