import type { AppContext, InWorkspace } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import type { Reader } from '../../db/reader.ts'
import { type Requester, requesterKey, type WorkerQuery } from '../../db/worker/client.ts'
import { startBackgroundWork } from '../../db/writes/background-work.ts'
import { forSomeMilliseconds } from '../../db/writes/time-slice.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { Refusal } from '../../refusal.ts'
import { distinctLinkKeys, type LinkKeys } from './link-keys.ts'

/*
 * `note_links` holds the targets of every body. Writing those of a note with 90,000 links takes a quarter of a second,
 * so a note with many is only marked in the transaction that changes it. A worker then finds what differs, and short
 * transactions write it: soon, and at the latest before links are read.
 */

/** A note with more links, before or after a change, or with a longer body, is marked. */
const MANY_LINKS = 2_000
const LONG_BODY = 65_536
const LINKS_PER_STEP = 250

interface NoteInWorkspace {
  readonly workspace: number
  readonly note: number
}

/** Brings `note_links` up to date with a body, or marks the note. */
export function indexLinks(
  reader: Reader,
  { workspace, note }: NoteInWorkspace,
  content: string,
  isNew = false,
): void {
  const stored = isNew ? [] : storedTargets(reader, note, MANY_LINKS + 1)
  if (stored.length > MANY_LINKS || takesLong(content)) {
    markLinks(reader, { workspace, note })
    return
  }
  const { missing, surplus } = differenceBetween(stored, distinctLinkKeys(content))
  if (surplus.length > 0) remove(reader, { workspace, note }, surplus)
  if (missing.length > 0) add(reader, { workspace, note }, missing)
}

interface Body {
  readonly note: number
  readonly content: string
}

type Link = readonly [target: string, note: number]

/** What differs between the stored links of notes and those of other bodies; of bodies with many links, nothing is said. */
export function linkDifferences<Of extends Body>(
  reader: Reader,
  bodies: readonly Of[],
): { readonly missing: Link[]; readonly surplus: Link[]; readonly long: Of[] } {
  const { short = [], long = [] } = Object.groupBy(bodies, ({ content }) =>
    takesLong(content) ? 'long' : 'short',
  )
  const stored = storedTargetsOfMany(
    reader,
    short.map(({ note }) => note),
  )
  const missing: Link[] = []
  const surplus: Link[] = []
  for (const { note, content } of short) {
    const difference = differenceBetween(stored.get(note) ?? [], distinctLinkKeys(content))
    for (const target of difference.missing) missing.push([target, note])
    for (const target of difference.surplus) surplus.push([target, note])
  }
  return { missing, surplus, long }
}

function storedTargetsOfMany({ sql }: Reader, notes: readonly number[]): Map<number, string[]> {
  const rows = sql.rows<[note: number, target: string]>(
    'SELECT note, target FROM note_links WHERE note IN (SELECT value FROM json_each(?))',
    JSON.stringify(notes),
  )
  const targets = new Map<number, string[]>()
  for (const [note, target] of rows) {
    const known = targets.get(note)
    if (known) known.push(target)
    else targets.set(note, [target])
  }
  return targets
}

/** Marks a note whose links are out of date. */
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

function differenceBetween(stored: readonly string[], targets: LinkKeys) {
  const missing = new Set(targets)
  const surplus = stored.filter((target) => !missing.delete(target))
  return { missing: [...missing], surplus }
}

/** Up to this many links are written one by one: with a list SQLite prepares the statement again at every run. */
const FEW_LINKS = 10

function add({ sql }: Reader, { workspace, note }: NoteInWorkspace, targets: readonly string[]): void {
  const insert = 'INSERT OR IGNORE INTO note_links (workspace, target, note)'
  if (targets.length <= FEW_LINKS)
    for (const target of targets) sql.run(`${insert} VALUES (?, ?, ?)`, workspace, target, note)
  else sql.run(`${insert} SELECT ?, value, ? FROM json_each(?)`, workspace, note, JSON.stringify(targets))
}

function remove({ sql }: Reader, { workspace, note }: NoteInWorkspace, targets: readonly string[]): void {
  const remove = 'DELETE FROM note_links WHERE workspace = ? AND note = ?'
  if (targets.length <= FEW_LINKS)
    for (const target of targets) sql.run(`${remove} AND target = ?`, workspace, note, target)
  else
    sql.run(
      `${remove} AND target IN (SELECT value FROM json_each(?))`,
      workspace,
      note,
      JSON.stringify(targets),
    )
}

/** Removes some links of a note that is about to be deleted; returns whether it had any. */
export const removeSomeLinks = ({ sql }: Reader, note: number): boolean =>
  sql.run(
    `DELETE FROM note_links WHERE (workspace, target, note) IN
       (SELECT workspace, target, note FROM note_links WHERE note = ? LIMIT ${LINKS_PER_STEP})`,
    note,
  ).changes > 0

/** What has to be written for a note, found in one version of it. */
interface Difference {
  readonly updatedAt: number
  readonly missing: readonly string[]
  readonly surplus: readonly string[]
}

const updatedAtOf = ({ sql }: Reader, note: number): number | undefined =>
  sql.column<number>('SELECT updated_at FROM notes WHERE pk = ?', note)[0]

const contentOf = ({ sql }: Reader, note: number): string =>
  sql.column<string>('SELECT content FROM note_bodies WHERE note = ?', note)[0] ?? ''

/** Undefined for a note that was deleted. */
export const linkDifferenceQuery: WorkerQuery<{ note: number }, Difference | undefined> = {
  name: 'notes.linkDifference',
  isLong: true,
  run: (reader, { note }) => {
    const updatedAt = updatedAtOf(reader, note)
    if (updatedAt === undefined) return undefined
    const { missing, surplus } = differenceBetween(
      storedTargets(reader, note),
      distinctLinkKeys(contentOf(reader, note)),
    )
    // In the order of the table, which is faster to write.
    return { updatedAt, missing: missing.sort(), surplus: surplus.sort() }
  },
}

const isPending = ({ sql }: Reader, note: number): boolean =>
  sql.get('SELECT 1 FROM links_pending WHERE note = ?', note) !== undefined

/** Writes a difference for some milliseconds, from a position in it, and returns the next one; undefined once there is nothing left. */
function writeSome(tx: Tx, place: NoteInWorkspace, difference: Difference, from: number): number | undefined {
  // Another version has another difference; its note stays marked. One that is not marked was indexed for another requester.
  if (updatedAtOf(tx, place.note) !== difference.updatedAt || !isPending(tx, place.note)) return undefined
  const { surplus, missing } = difference
  let at = from
  const hasMore = forSomeMilliseconds(() => {
    const end = at + LINKS_PER_STEP
    if (at < surplus.length) remove(tx, place, surplus.slice(at, end))
    else add(tx, place, missing.slice(at - surplus.length, end - surplus.length))
    at = at < surplus.length ? Math.min(end, surplus.length) : end
    return at < surplus.length + missing.length
  })
  if (hasMore) return at
  tx.sql.run('DELETE FROM links_pending WHERE note = ?', place.note)
  return undefined
}

type Indexing = Pick<AppContext, 'db' | 'worker'>

async function indexNote(
  { db, worker }: Indexing,
  place: NoteInWorkspace,
  requester: Requester,
): Promise<void> {
  const difference = await worker.run(linkDifferenceQuery, { note: place.note }, requester)
  if (!difference) return
  for (let from: number | undefined = 0; from !== undefined; ) {
    const start: number = from
    from = await db.write((tx): number | undefined => writeSome(tx, place, difference, start))
  }
}

/** What is being indexed, by note and requester. */
const newRunning = () => new Map<string, Promise<void>>()
const runningIn = ({ sql }: Db): Map<string, Promise<void>> => sql.state.of(newRunning)

/** Indexing that a requester asked for. Another does not wait for it, since it waits for the requester's other queries. */
const nameOf = ({ note }: NoteInWorkspace, requester: Requester) => `${note} ${requesterKey(requester)}`

/** Indexes a note that is not being indexed for the requester; several may do so at once. */
function startIndexingNote(ctx: Indexing, place: NoteInWorkspace, requester: Requester): Promise<void> {
  const running = runningIn(ctx.db)
  const name = nameOf(place, requester)
  const indexing = indexNote(ctx, place, requester).finally(() => running.delete(name))
  running.set(name, indexing)
  return indexing
}

/** After this many tries a note is indexed in one transaction: it changes too often, or the worker takes too long for it. */
const MAX_TRIES = 4

/**
 * Indexes the notes that are marked in the workspace now: links that were committed before this call are read after it.
 * The worker does it as a query of the requester, and the refusal is thrown if the requester has to try again later.
 */
export async function refreshLinks(ctx: Indexing, requester: InWorkspace & Requester): Promise<void> {
  const { db } = ctx
  const workspace = requester.workspacePk
  for (const note of db.sql.column<number>('SELECT note FROM links_pending WHERE workspace = ?', workspace)) {
    let tries = 0
    while (tries < MAX_TRIES && isPending(db, note)) {
      const place = { workspace, note }
      const ofAnother = runningIn(db).get(nameOf(place, requester))
      if (!ofAnother) tries += 1
      await (ofAnother?.catch(unlessRefused) ?? startIndexingNote(ctx, place, requester).catch(unlessTooLong))
    }
    if (isPending(db, note)) await db.write((tx): void => indexLinksAtOnce(tx, { workspace, note }))
  }
}

function unlessTooLong(error: unknown): void {
  if (!(error instanceof Refusal) || error.code === 'unavailable') throw error
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof Refusal)) throw error
}

/** Whether links of the workspace are out of date, so that a transaction that reads them has to index them first. */
export const hasPendingLinks = ({ sql }: Reader, workspace: number): boolean =>
  sql.get('SELECT 1 FROM links_pending WHERE workspace = ? LIMIT 1', workspace) !== undefined

/** Indexes every marked note of the workspace in this transaction. */
export function indexPendingLinks(reader: Reader, workspace: number): void {
  const notes = reader.sql.column<number>('SELECT note FROM links_pending WHERE workspace = ?', workspace)
  for (const note of notes) indexLinksAtOnce(reader, { workspace, note })
}

/** Brings `note_links` up to date with the body of a note, however long that takes. */
export function indexLinksAtOnce(reader: Reader, place: NoteInWorkspace): void {
  const targets = distinctLinkKeys(contentOf(reader, place.note))
  const { missing, surplus } = differenceBetween(storedTargets(reader, place.note), targets)
  remove(reader, place, surplus)
  add(reader, place, missing)
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
      if (!next) return false
      await startIndexingNote(ctx, next, BACKGROUND)
      return true
    },
  })
