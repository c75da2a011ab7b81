import type { Server } from '../../kernel/call.ts'
import type { Caller } from '../../kernel/caller.ts'
import { settle } from '../../kernel/job-steps.ts'
import { defineJob, enqueue, keysOf, removeJob } from '../../kernel/jobs.ts'
import { distinctLinkKeys } from '../../lib/wiki-links.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { contentOf, updatedAtOf } from '../store.ts'
import { bytesOfLinkedValues, propertyLinkKeys } from './property-links.ts'

/*
 * `note_links` holds the targets of every body and of the property values. Writing the targets of a note with 90,000 links takes a quarter of a
 * second. The transaction that changes a note with many links therefore only marks it. A worker then finds the
 * differences, and short transactions write them: soon, and at the latest before links are read.
 */

/** Notes with more links, before or after a change, or with longer bodies are marked. */
const MANY_LINKS = 2_000
const LONG_BODY = 65_536
/** Number of links of a marked note that one transaction adds and removes. */
const LINKS_AT_ONCE = 1_000

interface NoteInWorkspace {
  readonly workspace: number
  readonly note: number
}

/** The differences between the stored links of a note and the links in its body and property values. */
interface Difference {
  readonly missing: readonly string[]
  readonly surplus: readonly string[]
}

/** Updates `note_links` for a body; a note with many links or a long body is only marked. */
export function indexLinks(tx: Tx, place: NoteInWorkspace, content: string, isNew = false): void {
  const stored = isNew ? [] : storedTargets(tx, place.note, MANY_LINKS + 1)
  if (stored.length > MANY_LINKS || takesLong(content)) {
    markForLinks(tx, place.note)
    return
  }
  const difference = differenceBetween(stored, distinctLinkKeys(content))
  // Only a removed link requires a look at the property values, which may have the same one.
  if (difference.surplus.length > 0) indexAllLinks(tx, place, content)
  else write(tx, place, difference)
}

/** Updates `note_links` for a body and the property values of the note. */
export function indexAllLinks(tx: Tx, place: NoteInWorkspace, content = contentOf(tx, place.note)): void {
  const { note } = place
  const stored = storedTargets(tx, note, MANY_LINKS + 1)
  const isLarge = bytesOfLinkedValues(tx, [note]) > LONG_BODY || takesLong(content)
  if (stored.length > MANY_LINKS || isLarge) markForLinks(tx, note)
  else write(tx, place, differenceBetween(stored, allTargets(tx, note, content)))
}

/** The links of the note will be updated soon, and before they are read. */
export const markForLinks = (tx: Tx, note: number): void => enqueue(tx, linkIndexing, note, FROM_START)

const allTargets = (reader: Reader, note: number, content: string): ReadonlySet<string> =>
  new Set([...distinctLinkKeys(content), ...propertyLinkKeys(reader, note)])

/** Whether a body is long or has many links. Counts every opening bracket, because parsing takes longer. */
function takesLong(content: string): boolean {
  if (content.length > LONG_BODY) return true
  let count = 0
  for (let at = content.indexOf('[['); at !== -1; at = content.indexOf('[[', at + 2))
    if (++count > MANY_LINKS) return true
  return false
}

const storedTargets = ({ sql }: Reader, note: number, limit = -1): string[] =>
  sql.column('SELECT target FROM note_links WHERE note = ? LIMIT ?', note, limit)

/** Sorted in table order, which is faster to write. */
function differenceBetween(stored: readonly string[], targets: ReadonlySet<string>): Difference {
  const missing = new Set(targets)
  const surplus = stored.filter((target) => !missing.delete(target))
  return { missing: [...missing].sort(), surplus: surplus.sort() }
}

/** Writes links one by one, because with a list SQLite prepares the statement again for every run. */
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

/** Removes some links of a note that is about to be purged; returns whether it had any. */
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
  const targets = allTargets(reader, note, contentOf(reader, note))
  return { updatedAt: updatedAtOf(reader, note), ...differenceBetween(storedTargets(reader, note), targets) }
}

/** The progress of a note's job: it continues after the last target that it has written. */
interface Progress {
  readonly after: string
  /** The number of changes of the note meanwhile. */
  readonly changes: number
}

const FROM_START: Progress = { after: '', changes: 0 }
/** After this many changes, the links of a note are written in one transaction. */
const MAX_CHANGES = 4

/** Writes the links of a note with many links. A thread reads the difference, and each step writes a part of it. */
export const linkIndexing = defineJob<number, Progress>(
  'notes.links',
  (tx, note, progress, prepared) => {
    const workspace = workspaceOf(tx, note)
    if (workspace === undefined) return 'done'
    const difference = prepared as VersionDifference | undefined
    if (difference && difference.updatedAt === updatedAtOf(tx, note))
      return writeSome(tx, { workspace, note }, difference, progress)
    const changes = progress.changes + 1
    if (changes < MAX_CHANGES) return { after: '', changes }
    write(tx, { workspace, note }, differenceOf(tx, note))
    return 'done'
  },
  { prepare: { read: differenceOf, isNeeded: ({ after }) => after === '' } },
)

const workspaceOf = ({ sql }: Reader, note: number): number | undefined =>
  sql.get<{ workspace: number }>('SELECT workspace FROM notes WHERE pk = ?', note)?.workspace

/** Writes in target order, so it does not matter whether the part before `after` was still missing. */
function writeSome(
  tx: Tx,
  place: NoteInWorkspace,
  difference: VersionDifference,
  { after, changes }: Progress,
): Progress | 'done' {
  const missing = firstBehind(difference.missing, after)
  const surplus = firstBehind(difference.surplus, after)
  const all = [...missing, ...surplus].sort()
  const last = all.slice(0, LINKS_AT_ONCE).at(-1)
  if (last === undefined) return 'done'
  const isInPart = (target: string) => target <= last
  write(tx, place, { missing: missing.filter(isInPart), surplus: surplus.filter(isInPart) })
  return all.length > LINKS_AT_ONCE ? { after: last, changes } : 'done'
}

/** The first targets after `after`, from a sorted list: one more than a step writes. */
function firstBehind(targets: readonly string[], after: string): readonly string[] {
  let low = 0
  let high = targets.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((targets[middle] ?? '') > after) high = middle
    else low = middle + 1
  }
  return targets.slice(low, low + LINKS_AT_ONCE + 1)
}

/**
 * Writes the pending links of the workspace. Links that were committed before this call can be read after it. Threads
 * read them as queries of the caller. Throws the refusal if the caller must try again later.
 */
export async function refreshLinks(server: Server, caller: Caller): Promise<void> {
  for (const note of pendingNotes(server.db, caller.workspacePk))
    await settle(server, linkIndexing, note, caller)
}

const pendingNotes = ({ sql }: Reader, workspace: number): number[] =>
  sql.column(
    `SELECT pk FROM notes WHERE pk IN (${keysOf(linkIndexing)}) AND +workspace = ? ORDER BY pk`,
    workspace,
  )

/** Writes all pending links of the workspace in this transaction. */
export function indexPendingLinks(reader: Reader, workspace: number): void {
  for (const note of pendingNotes(reader, workspace)) indexLinksAtOnce(reader, { workspace, note })
}

/** Updates `note_links` for a note, however long that takes. */
export function indexLinksAtOnce(reader: Reader, place: NoteInWorkspace): void {
  write(reader, place, differenceOf(reader, place.note))
  removeJob(reader, linkIndexing, place.note)
}
