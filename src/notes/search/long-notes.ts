import type { Reader } from '../../db/reader.ts'
import type { WorkerClient, WorkerQuery, WorkerTask } from '../../db/worker/client.ts'
import { findIndexable, indexedColumns, indexNote, unmarkForSearch, writeEntries } from './tables.ts'

/*
 * Indexing a body of a million characters takes several hundred milliseconds. A worker splits it into words while everything
 * else goes on, and then writes the entries, for which other writes wait, and reads do not.
 */

/** A body of more bytes is indexed by the worker. */
const LONG_BODY_BYTES = 32_768

const IS_LONG = `SELECT 1 FROM note_bodies WHERE note = ? AND octet_length(content) > ${LONG_BODY_BYTES}`

export const hasLongBody = ({ sql }: Reader, note: number): boolean => sql.get(IS_LONG, note) !== undefined

interface LongNote {
  readonly workspace: number
  readonly note: number
}

/** The words of a note, and which version of it they are of. */
interface Words {
  readonly columns: ReturnType<typeof indexedColumns>
  readonly updatedAt: number
}

const updatedAtOf = ({ sql }: Reader, note: number): number | undefined =>
  sql.get<{ updatedAt: number }>('SELECT updated_at AS updatedAt FROM notes WHERE pk = ?', note)?.updatedAt

/** Splits a note into words; undefined for one that is in the trash. */
export const longNoteWordsQuery: WorkerQuery<LongNote, Words | undefined> = {
  name: 'notes.words',
  isLong: true,
  run: (reader, { note: pk }) => {
    const note = findIndexable(reader, pk)
    const updatedAt = updatedAtOf(reader, pk)
    return note && updatedAt !== undefined ? { columns: indexedColumns(note), updatedAt } : undefined
  },
}

/** Writes the entries of a note that is still marked. Words of an older version are not used. */
export const longNoteEntries: WorkerTask<LongNote & { words: Words | undefined }, void> = {
  name: 'notes.entries',
  isBackground: true,
  run: (reader, { workspace, note: pk, words }) => {
    if (!unmarkForSearch(reader, workspace, pk)) return
    const note = findIndexable(reader, pk)
    if (!note) return
    if (words && words.updatedAt === updatedAtOf(reader, pk))
      writeEntries(reader, workspace, pk, words.columns)
    else indexNote(reader, workspace, note)
  },
}

const BACKGROUND = { userId: '', keyId: null, surface: 'indexing', isBackground: true }

/** Indexes a note if it is still marked. */
export async function indexLongNote(worker: WorkerClient, workspace: number, note: number): Promise<void> {
  const words = await worker.run(longNoteWordsQuery, { workspace, note }, BACKGROUND)
  await worker.write(longNoteEntries, { workspace, note, words })
}
