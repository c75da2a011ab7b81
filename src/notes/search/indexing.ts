import type { AppContext } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { startIdleWorker } from '../../db/writes/idle-worker.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { indexedText } from '../../search/tokenizer.ts'
import { fullTable, headTable, tagTable, tagTerm } from './tables.ts'

/** One transaction brings notes into the search tables until this time has passed, and one note at least. */
const BATCH_TIME_MS = 5
const MOST_AT_ONCE = 100

/** Marks a note whose entry in the search tables is out of date; it is indexed when idle, at the latest before a search. */
export const markForSearch = ({ sql }: Tx, workspace: number, note: number) =>
  sql.run('INSERT OR IGNORE INTO search_pending (workspace, note) VALUES (?, ?)', workspace, note)

/** Takes a note out of the search tables at once. */
export function removeFromSearch({ sql }: Tx, workspace: number, note: number): void {
  sql.run('DELETE FROM search_pending WHERE workspace = ? AND note = ?', workspace, note)
  sql.run(`DELETE FROM ${fullTable(workspace)} WHERE rowid = ?`, note)
  sql.run(`DELETE FROM ${headTable(workspace)} WHERE rowid = ?`, note)
}

/** Makes a tag findable by the words of its name. */
export const indexTagName = ({ sql }: Tx, workspace: number, tag: number, name: string) =>
  sql.run(`INSERT OR REPLACE INTO ${tagTable(workspace)} (rowid, name) VALUES (?, ?)`, tag, indexedText(name))

export const removeTagName = ({ sql }: Tx, workspace: number, tag: number) =>
  sql.run(`DELETE FROM ${tagTable(workspace)} WHERE rowid = ?`, tag)

interface Indexable {
  pk: number
  title: string
  content: string
  tags: string
}

/** A note's columns in the search tables. */
export const indexedColumns = ({ title, content, tags }: Indexable) => ({
  title: indexedText(title),
  body: indexedText(content),
  tags: (JSON.parse(tags) as number[]).map(tagTerm).join(' '),
})

/** Brings one note's entry in the search tables up to date. */
export function indexNote({ sql }: Tx, workspace: number, note: Indexable): void {
  const { title, body, tags } = indexedColumns(note)
  const [full, head] = [fullTable(workspace), headTable(workspace)]
  sql.run(
    `INSERT OR REPLACE INTO ${full} (rowid, title, body, tags) VALUES (?, ?, ?, ?)`,
    note.pk,
    title,
    body,
    tags,
  )
  sql.run(`INSERT OR REPLACE INTO ${head} (rowid, title, tags) VALUES (?, ?, ?)`, note.pk, title, tags)
}

/** What is indexed of an active note; undefined for one in the trash. */
export const findIndexable = ({ sql }: Reader, pk: number): Indexable | undefined =>
  sql.get(
    `SELECT n.pk, n.title, (SELECT content FROM note_bodies b WHERE b.note = n.pk) AS content,
       (SELECT json_group_array(nt.tag) FROM note_tags nt WHERE nt.note = n.pk) AS tags
     FROM notes n WHERE n.pk = ? AND n.deleted_at IS NULL`,
    pk,
  )

/** Indexes the next of these notes that are still marked, for a few milliseconds; answers how many are done with. */
function indexBatch(tx: Tx, workspace: number, notes: readonly number[]): number {
  const until = performance.now() + BATCH_TIME_MS
  let done = 0
  for (const pk of notes) {
    done += 1
    const { changes } = tx.sql.run(
      'DELETE FROM search_pending WHERE workspace = ? AND note = ?',
      workspace,
      pk,
    )
    const note = changes === 1 ? findIndexable(tx, pk) : undefined
    if (note) indexNote(tx, workspace, note)
    if (performance.now() > until) break
  }
  return done
}

/** Whether notes of the workspace wait to be indexed. */
export const isPending = ({ sql }: Reader, workspace: number): boolean =>
  sql.get('SELECT 1 FROM search_pending WHERE workspace = ? LIMIT 1', workspace) !== undefined

/**
 * Indexes every note marked in the workspace by now: what was acknowledged before this call can be found after
 * it. What is written meanwhile is left, so that a stream of writes never keeps a search waiting.
 */
export async function refreshSearch({ db }: Pick<AppContext, 'db'>, workspace: number): Promise<void> {
  if (!isPending(db, workspace)) return
  const notes = db.sql.column<number>('SELECT note FROM search_pending WHERE workspace = ?', workspace)
  for (let done = 0; done < notes.length; ) {
    const next = notes.slice(done, done + MOST_AT_ONCE)
    done += await db.write((tx): number => indexBatch(tx, workspace, next))
  }
}

/** So many waiting notes are indexed beside other writes too: a search after them would wait for seconds. */
const LONG_BACKLOG = 10_000

const isBacklogLong = ({ sql }: Reader): boolean =>
  sql.get(`SELECT 1 FROM search_pending LIMIT 1 OFFSET ${LONG_BACKLOG}`) !== undefined

/** Indexes some marked notes of the first workspace that has any; answers whether there were. */
async function indexSome({ db }: AppContext): Promise<boolean> {
  const workspace = db.sql.get<{ workspace: number }>(
    'SELECT workspace FROM search_pending LIMIT 1',
  )?.workspace
  if (workspace === undefined) return false
  const notes = db.sql.column<number>(
    `SELECT note FROM search_pending WHERE workspace = ? LIMIT ${MOST_AT_ONCE}`,
    workspace,
  )
  await db.write((tx): number => indexBatch(tx, workspace, notes))
  return true
}

/** Indexes marked notes in the background, so that searches seldom have to; answers how to stop. */
export const startIndexing = (ctx: AppContext): (() => void) =>
  startIdleWorker(ctx, {
    what: 'indexing',
    isPiledUp: () => isBacklogLong(ctx.db),
    doSome: () => indexSome(ctx),
  })
