import type { AppContext, InWorkspace } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Requester, WorkerQuery } from '../../db/worker/client.ts'
import { startBackgroundWork } from '../../db/writes/background-work.ts'
import { contentOf, updatedAtOf } from '../store.ts'
import { distinctLinkKeys } from './syntax.ts'

/*
 * `note_links` holds the targets of every body. Writing those of a note with 90,000 links takes a quarter of a second,
 * so a note with many is only marked in the transaction that changes it. A worker then finds what differs, and short
 * transactions write it: soon, and at the latest before links are read.
 */

/** A note with more links, before or after a change, or with a longer body, is marked. */
const MANY_LINKS = 2_000
const LONG_BODY = 65_536
/** How many links one transaction adds, and takes away, of a marked note. */
const LINKS_AT_ONCE = 1_000

interface NoteInWorkspace {
  readonly workspace: number
  readonly note: number
}

/** What differs between the stored links of a note and those of its body. */
interface Difference {
  readonly missing: readonly string[]
  readonly surplus: readonly string[]
}

/** Brings `note_links` up to date with a body; of one with many links, or a long one, the note is marked. */
export function indexLinks(reader: Reader, place: NoteInWorkspace, content: string, isNew = false): void {
  const stored = isNew ? [] : storedTargets(reader, place.note, MANY_LINKS + 1)
  if (stored.length > MANY_LINKS || takesLong(content)) markLinks(reader, place)
  else write(reader, place, differenceBetween(stored, distinctLinkKeys(content)))
}

const markLinks = ({ sql }: Reader, { workspace, note }: NoteInWorkspace) =>
  sql.run('INSERT OR IGNORE INTO links_pending (note, workspace) VALUES (?, ?)', note, workspace)

/** Whether a body is long or has many links; every opening bracket counts, because parsing takes longer. */
function takesLong(content: string): boolean {
  if (content.length > LONG_BODY) return true
  let count = 0
  for (let at = content.indexOf('[['); at !== -1; at = content.indexOf('[[', at + 2))
    if (++count > MANY_LINKS) return true
  return false
}

const storedTargets = ({ sql }: Reader, note: number, limit = -1): string[] =>
  sql.column('SELECT target FROM note_links WHERE note = ? LIMIT ?', note, limit)

/** In the order of the table, which is faster to write. */
function differenceBetween(stored: readonly string[], targets: ReadonlySet<string>): Difference {
  const missing = new Set(targets)
  const surplus = stored.filter((target) => !missing.delete(target))
  return { missing: [...missing].sort(), surplus: surplus.sort() }
}

/** Links are written one by one: with a list SQLite prepares the statement again at every run. */
function write(
  { sql }: Reader,
  { workspace, note }: NoteInWorkspace,
  { surplus, missing }: Difference,
): void {
  for (const target of surplus)
    sql.run('DELETE FROM note_links WHERE workspace = ? AND target = ? AND note = ?', workspace, target, note)
  for (const target of missing)
    sql.run(
      'INSERT OR IGNORE INTO note_links (workspace, target, note) VALUES (?, ?, ?)',
      workspace,
      target,
      note,
    )
}

/** Removes some links of a note that is about to be deleted; returns whether it had any. */
export const removeSomeLinks = ({ sql }: Reader, note: number): boolean =>
  sql.run(
    `DELETE FROM note_links WHERE (workspace, target, note) IN
       (SELECT workspace, target, note FROM note_links WHERE note = ? LIMIT ${LINKS_AT_ONCE})`,
    note,
  ).changes > 0

interface VersionDifference extends Difference {
  readonly updatedAt: number | undefined
}

function differenceOf(reader: Reader, note: number): VersionDifference {
  const targets = distinctLinkKeys(contentOf(reader, note))
  return { updatedAt: updatedAtOf(reader, note), ...differenceBetween(storedTargets(reader, note), targets) }
}

export const linkDifferenceQuery: WorkerQuery<{ note: number }, VersionDifference> = {
  name: 'notes.linkDifference',
  isLong: true,
  run: (reader, { note }) => differenceOf(reader, note),
}

const isPending = ({ sql }: Reader, note: number): boolean =>
  sql.get('SELECT 1 FROM links_pending WHERE note = ?', note) !== undefined

/** Writes the part of a difference that begins at a position; returns whether another one follows. */
function writeSome(
  reader: Reader,
  place: NoteInWorkspace,
  difference: VersionDifference,
  at: number,
): boolean {
  const { note } = place
  const { surplus, missing, updatedAt } = difference
  // Another version has another difference; its note stays marked. One that is not marked was indexed for another requester.
  if (updatedAtOf(reader, note) !== updatedAt || !isPending(reader, note)) return false
  const end = at + LINKS_AT_ONCE
  write(reader, place, { surplus: surplus.slice(at, end), missing: missing.slice(at, end) })
  const hasMore = end < Math.max(surplus.length, missing.length)
  if (!hasMore) reader.sql.run('DELETE FROM links_pending WHERE note = ?', note)
  return hasMore
}

type Indexing = Pick<AppContext, 'db' | 'worker'>

async function indexNote({ db, worker }: Indexing, place: NoteInWorkspace, requester: Requester) {
  const difference = await worker.run(linkDifferenceQuery, { note: place.note }, requester)
  let at = 0
  while (await db.write((tx): boolean => writeSome(tx, place, difference, at))) at += LINKS_AT_ONCE
}

/** After this many tries a note is indexed in one transaction: it changes too often. */
const MAX_TRIES = 4

/**
 * Indexes the notes that are marked in the workspace now: links that were committed before this call are read after it.
 * The worker does it as a query of the requester, and the refusal is thrown if the requester has to try again later.
 */
export async function refreshLinks(ctx: Indexing, requester: InWorkspace & Requester): Promise<void> {
  const { db } = ctx
  const { workspacePk: workspace } = requester
  for (const note of pendingNotes(db, workspace)) {
    const place = { workspace, note }
    for (let tries = 0; tries < MAX_TRIES && isPending(db, note); tries++)
      await indexNote(ctx, place, requester)
    if (isPending(db, note)) await db.write((tx): void => indexLinksAtOnce(tx, place))
  }
}

const pendingNotes = ({ sql }: Reader, workspace: number): number[] =>
  sql.column('SELECT note FROM links_pending WHERE workspace = ?', workspace)

/** Indexes every marked note of the workspace in this transaction. */
export function indexPendingLinks(reader: Reader, workspace: number): void {
  for (const note of pendingNotes(reader, workspace)) indexLinksAtOnce(reader, { workspace, note })
}

/** Brings `note_links` up to date with the body of a note, however long that takes. */
export function indexLinksAtOnce(reader: Reader, place: NoteInWorkspace): void {
  write(reader, place, differenceOf(reader, place.note))
  reader.sql.run('DELETE FROM links_pending WHERE note = ?', place.note)
}

const BACKGROUND = { userId: '', keyId: null, surface: 'links', isBackground: true }

/** Indexes marked notes in the background; returns a function that stops it. */
export const startLinkIndexing = (ctx: AppContext): (() => void) =>
  startBackgroundWork(ctx, {
    name: 'indexing of links',
    isUrgent: () => true,
    runStep: async () => {
      const next = ctx.db.sql.get<NoteInWorkspace>('SELECT workspace, note FROM links_pending LIMIT 1')
      if (next) await indexNote(ctx, next, BACKGROUND)
      return next !== undefined
    },
  })
