import type { Reader } from '../db/reader.ts'
import { Refusal } from '../refusal.ts'

/** The address of the remote whose copy the database is; undefined for a database of its own. */
export const remoteOf = ({ sql }: Reader): string | undefined =>
  sql.get<{ remote: string }>('SELECT remote FROM mirrors LIMIT 1')?.remote

/** Whether the database is a copy that leaves out the bytes of files. */
export const lacksFileContents = ({ sql }: Reader): boolean =>
  sql.get("SELECT 1 FROM mirrors WHERE selection ->> 'hasFiles' = 0") !== undefined

/** The refusal of every write in a copy. */
export const readOnlyCopy = (remote: string): Refusal =>
  new Refusal('mirror', `This is a read-only copy of ${remote}; change it there.`)

/** Whether the database of a connection is a copy: known from its first write on. */
const remotes = new WeakMap<object, string | null>()

/** Refuses to change objects of a copy: only the changes of the remote may. */
export function refuseInMirror(reader: Reader): void {
  const known = remotes.get(reader.sql)
  const remote = known === undefined ? (remoteOf(reader) ?? null) : known
  if (known === undefined) remotes.set(reader.sql, remote)
  if (remote !== null) throw readOnlyCopy(remote)
}
