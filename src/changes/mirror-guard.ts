import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { Refusal } from '../refusal.ts'
import type { ChangeKind, ChangeOperation } from './entries.ts'
import type { ChangeAuthor } from './log.ts'

/** The address of the remote whose copy the database is; undefined for a database of its own. */
export const remoteOf = ({ sql }: Reader): string | undefined =>
  sql.get<{ remote: string }>('SELECT remote FROM mirrors LIMIT 1')?.remote

/** Whether the database is a copy that leaves out the bytes of files. */
export const lacksFileContents = ({ sql }: Reader): boolean =>
  sql.get("SELECT 1 FROM mirrors WHERE selection ->> 'hasFiles' = 0") !== undefined

/** The refusal of every write in a copy that is not writable. */
export const readOnlyCopy = (remote: string): Refusal =>
  new Refusal('mirror', `This is a read-only copy of ${remote}; change it there.`)

interface Copy {
  readonly remote: string
  readonly isWritable: number
  readonly isForwarding: number
}

/** Whether the database is a copy: known from its first write on. */
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

/** What is written there lies over what the remote has. */
export const isWritableCopy = (reader: Reader): boolean => copyIn(reader)?.isWritable === 1

/** Whether the changes of records in a copy are posted. */
export const forwardsChanges = (reader: Reader): boolean => copyIn(reader)?.isForwarding === 1

/** What a write in a copy may change, with what comes or goes with it. */
const LOCAL: readonly (ChangeKind | undefined)[] = ['note', 'record', 'tag', 'quick_access_item']

/** Refuses to change objects of a copy, except notes and records of a writable one. */
export function refuseInMirror(reader: Reader, kind?: ChangeKind, operation?: ChangeOperation): void {
  const copy = copyIn(reader)
  if (copy === null) return
  if (copy.isWritable === 0) throw readOnlyCopy(copy.remote)
  if (!LOCAL.includes(kind) || (kind === 'tag' && operation !== 'created'))
    throw onlyNotesAndRecords(copy.remote)
}

export const onlyNotesAndRecords = (remote: string): Refusal =>
  new Refusal(
    'mirror',
    `This is a copy of ${remote} in which only notes and records are changed; change everything else there.`,
  )

const KNOWN = 'SELECT held IS NOT NULL AS isHeld FROM mirror_overlay WHERE kind = ? AND id = ?'
const KEEP = 'INSERT INTO mirror_overlay (kind, id, structure, base, remote) VALUES (?, ?, ?, ?4, ?4)'

/**
 * Called before a write changes an object: in a writable copy of a remote, what the remote has is kept at the first
 * change. `remote` returns it as JSON text, null where there is none.
 */
export function keepRemote(
  tx: Tx,
  author: ChangeAuthor,
  { kind, id, structureId = null }: { kind: ChangeKind; id: string | number; structureId?: string | null },
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
