import { logTextUpdates } from '../../changes/log.ts'
import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Sql } from '../../db/sql.ts'
import type { WorkerClient, WorkerTask } from '../../db/worker/client.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { indexLinks, linkDifferences } from '../links/indexing.ts'
import { markAllForSearch } from '../search/indexing.ts'
import { touchNotes } from '../store.ts'

/*
 * New bodies of many notes are staged in temporary tables of the connection, and written from there in few statements:
 * that takes half the time of one note after the other. They may be staged before the transaction that writes them, so
 * that other writes wait for the writing alone. What was staged for a note counts while the note has the `updated_at` that
 * it had then, which every change of a note moves forward.
 */

const TABLES = `
  CREATE TEMP TABLE IF NOT EXISTS staged_contents
    (note INTEGER PRIMARY KEY, version INTEGER NOT NULL, links INTEGER NOT NULL, content TEXT NOT NULL);
  CREATE TEMP TABLE IF NOT EXISTS staged_links
    (is_new INTEGER NOT NULL, target TEXT NOT NULL, note INTEGER NOT NULL, PRIMARY KEY (is_new, target, note)) WITHOUT ROWID;
  CREATE TEMP TABLE IF NOT EXISTS staged_revisions
    (pk INTEGER PRIMARY KEY, note INTEGER NOT NULL, id TEXT NOT NULL)`

/** A body that replaces another. */
export interface NewContent {
  readonly note: number
  /** The `updated_at` of the note whose body it replaces. */
  readonly version: number
  readonly content: string
  /** How many of its links were rewritten. */
  readonly links: number
}

/** What is staged on a connection since before its transaction. */
const purposes = new WeakMap<Sql, string>()

/** Begins to stage for a purpose: a text that says all on which the new bodies depend beside those that they replace. */
export function openStage(reader: Reader, purpose: string): void {
  discardStage(reader)
  purposes.set(reader.sql, purpose)
}

function discardStage(reader: Reader): void {
  reader.sql.script(TABLES)
  clearStage(reader)
}

/** For a stage that is open. */
export function clearStage({ sql }: Reader): void {
  purposes.delete(sql)
  for (const table of ['contents', 'links', 'revisions']) sql.run(`DELETE FROM temp.staged_${table}`)
}

/** Stages bodies with the differences of their links; returns those with so many links that these are not staged. */
export function stage(reader: Reader, contents: readonly NewContent[]): NewContent[] {
  const { sql } = reader
  for (const { note, version, links, content } of contents)
    sql.run('INSERT INTO temp.staged_contents VALUES (?, ?, ?, ?)', note, version, links, content)
  const { missing, surplus, long } = linkDifferences(reader, contents)
  for (const [isNew, links] of [missing, surplus].entries())
    sql.run(
      'INSERT INTO temp.staged_links SELECT ?1, value ->> 0, value ->> 1 FROM json_each(?2)',
      isNew === 0 ? 1 : 0,
      JSON.stringify(links),
    )
  return long
}

/**
 * What was staged for the purpose, of these notes, and still counts, as the number of rewritten links by note; everything
 * else is removed.
 */
export function takeStaged(reader: Reader, purpose: string, notes: readonly number[]): Map<number, number> {
  const { sql } = reader
  if (purposes.get(sql) !== purpose) {
    discardStage(reader)
    return new Map()
  }
  purposes.delete(sql)
  const wanted = new Set(notes)
  const staged = sql.rows<[note: number, links: number, isValid: number]>(
    `SELECT note, links, EXISTS (SELECT 1 FROM notes WHERE pk = s.note AND updated_at = s.version)
     FROM temp.staged_contents s`,
  )
  const valid = staged.filter(([note, , isValid]) => isValid === 1 && wanted.has(note))
  if (valid.length < staged.length) {
    const kept = JSON.stringify(valid.map(([note]) => note))
    for (const table of ['contents', 'links'])
      sql.run(`DELETE FROM temp.staged_${table} WHERE note NOT IN (SELECT value FROM json_each(?))`, kept)
  }
  return new Map(valid.map(([note, links]) => [note, links]))
}

const ADD_REVISIONS = `INSERT INTO revisions (pk, id, note, created_at, surface, title, content)
  SELECT s.pk, s.id, s.note, ?, ?, n.title, b.content
  FROM temp.staged_revisions s CROSS JOIN notes n ON n.pk = s.note CROSS JOIN note_bodies b ON b.note = s.note
  ORDER BY s.pk`
const REPLACE_BODIES = `UPDATE note_bodies
  SET content = (SELECT content FROM temp.staged_contents s WHERE s.note = note_bodies.note)
  WHERE note IN (SELECT note FROM temp.staged_contents)`
const REMOVE_LINKS = `DELETE FROM note_links WHERE (workspace, target, note) IN
  (SELECT ?, target, note FROM temp.staged_links WHERE is_new = 0)`
const ADD_LINKS = `INSERT OR IGNORE INTO note_links (workspace, target, note)
  SELECT ?, target, note FROM temp.staged_links WHERE is_new = 1 ORDER BY target, note`

/**
 * Replaces the bodies of exactly these notes, which are staged, and saves a revision of each, as an edit does, also in the
 * trash. The log has them in this order. `long` are those whose links are not staged.
 */
export function writeStaged(
  tx: Tx,
  caller: Caller,
  notes: readonly number[],
  long: readonly NewContent[] = [],
): void {
  const { sql } = tx
  const { workspacePk: workspace } = caller
  const pks = JSON.stringify(notes)
  const ids = new Map(
    sql.rows<[number, string]>('SELECT pk, id FROM notes WHERE pk IN (SELECT value FROM json_each(?))', pks),
  )
  const first = sql.scalar<number>('SELECT coalesce(max(pk), 0) + 1 FROM revisions')
  sql.run(
    'INSERT INTO temp.staged_revisions SELECT ?1 + key, value ->> 0, value ->> 1 FROM json_each(?2)',
    first,
    JSON.stringify(notes.map((note) => [note, tx.newId()])),
  )
  sql.run(ADD_REVISIONS, tx.now, caller.surface)
  sql.run(REPLACE_BODIES)
  logTextUpdates(
    tx,
    caller,
    notes.map((note, at) => [ids.get(note) ?? '', first + at]),
  )
  sql.run(REMOVE_LINKS, workspace)
  sql.run(ADD_LINKS, workspace)
  for (const { note, content } of long) indexLinks(tx, { workspace, note }, content)
  touchNotes(tx, pks)
  markAllForSearch(tx, workspace, pks, { canWait: false })
}

export const discardPreparation: WorkerTask<undefined, void> = {
  name: 'notes.discardPreparation',
  isPreparation: true,
  thread: 'texts',
  run: discardStage,
}

/**
 * Runs a task that replaces many bodies after its preparation has staged them, for which other writes do not wait. Both,
 * and the removal of what is left, run on the same connection, and what another one would stage waits for them.
 */
export const runPrepared = <Input, Output>(
  worker: WorkerClient,
  preparation: WorkerTask<Input, void>,
  task: WorkerTask<Input, Output>,
  input: Input,
): Promise<Output> =>
  worker.inSeries(async () => {
    await worker.write(preparation, input)
    try {
      return await worker.write(task, input)
    } finally {
      // What remains is removed before anything else is staged; the outcome of the task is what counts.
      await worker.write(discardPreparation, undefined).catch(() => {})
    }
  })
