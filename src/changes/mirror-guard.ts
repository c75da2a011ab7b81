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

/** Whether the database is a copy: known from its first write on. */
const newKnown = (): { remote?: string | null } => ({})

/** Refuses to change objects of a copy: only the changes of the remote may. */
export function refuseInMirror(reader: Reader): void {
  const known = reader.sql.state.of(newKnown)
  if (known.remote === undefined) known.remote = remoteOf(reader) ?? null
  if (known.remote !== null) throw readOnlyCopy(known.remote)
}
