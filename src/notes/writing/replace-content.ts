import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { hasPendingLinks, mayHaveManyLinks } from '../links/indexing.ts'
import { isTooLong } from '../schema.ts'
import { clearStage, type NewContent, openStage, stage, takeStaged, writeStaged } from './staged-contents.ts'

/** A note whose body alone changes; it may be in the trash. */
export interface NoteText {
  readonly pk: number
  readonly id: string
  readonly title: string
  readonly content: string
  readonly updatedAt: number
}

const TEXT = `SELECT n.pk, n.id, n.title, n.updated_at AS updatedAt,
    (SELECT content FROM note_bodies b WHERE b.note = n.pk) AS content
  FROM notes n`

/** Of any workspace, also in the trash. */
export const findNoteText = ({ sql }: Reader, pk: number): NoteText | undefined =>
  sql.get(`${TEXT} WHERE n.pk = ?`, pk)

/** The pks of the notes that link to one of these targets (keys as `note_links` has them), trashed ones too. */
export const notesWithLinks = (
  { sql }: Reader,
  workspace: number,
  targets: readonly string[],
  limit = -1,
): number[] =>
  sql.column(
    `SELECT DISTINCT l.note FROM json_each(?) AS wanted
     CROSS JOIN note_links l ON l.workspace = ? AND l.target = wanted.value LIMIT ?`,
    JSON.stringify(targets),
    workspace,
    limit,
  )

/** How much text one request may change. */
export interface RewriteLimits {
  readonly notes: number
  readonly bytes: number
}

/** The main thread rewrites this much, in some tens of milliseconds; a worker rewrites more. */
export const MAIN_THREAD_LIMITS: RewriteLimits = { notes: 50, bytes: 128 * 1024 }

/** The length of the bodies of these notes together. */
export const bytesOf = ({ sql }: Reader, notes: readonly number[]): number =>
  sql.scalar(
    'SELECT total(octet_length(content)) FROM note_bodies WHERE note IN (SELECT value FROM json_each(?))',
    JSON.stringify(notes),
  )

/** What a body is rewritten to, and how many of its links that changed. */
export interface Rewritten {
  readonly content: string
  readonly links: number
}

/** Returns undefined for a body that stays; may refuse. */
export type Rewrite = (note: NoteText) => Rewritten | undefined

/** Notes are read and replaced in groups of up to this size: one by one takes several times as long. */
const NOTES_AT_ONCE = 500
const BYTES_AT_ONCE = 1024 * 1024

/** These notes in groups, in their order, each with little text; one that has much is alone. */
function* groupsOf({ sql }: Reader, pks: readonly number[]): Generator<number[]> {
  for (let start = 0; start < pks.length; start += NOTES_AT_ONCE) {
    const some = pks.slice(start, start + NOTES_AT_ONCE)
    const bytes = new Map(
      sql.rows<[number, number]>(
        'SELECT note, octet_length(content) FROM note_bodies WHERE note IN (SELECT value FROM json_each(?))',
        JSON.stringify(some),
      ),
    )
    let group: number[] = []
    let room = BYTES_AT_ONCE
    for (const pk of some) {
      const length = bytes.get(pk) ?? 0
      if (group.length > 0 && length > room) {
        yield group
        group = []
        room = BYTES_AT_ONCE
      }
      group.push(pk)
      room -= length
    }
    yield group
  }
}

/** The notes of a group that are there, in its order. */
function readTexts({ sql }: Reader, group: readonly number[]): NoteText[] {
  const notes = sql.all<NoteText>(
    `${TEXT} WHERE n.pk IN (SELECT value FROM json_each(?))`,
    JSON.stringify(group),
  )
  const byPk = new Map(notes.map((note) => [note.pk, note]))
  return group.flatMap((pk) => byPk.get(pk) ?? [])
}

function newContent(note: NoteText, rewrite: Rewrite): NewContent | undefined {
  const rewritten = rewrite(note)
  return rewritten && { ...rewritten, note: note.pk, version: note.updatedAt }
}

/**
 * Replaces the bodies for which `rewrite` returns another; returns how many links that rewrote. Those that were prepared
 * for the same purpose and have not changed since are not rewritten again; after the transaction they have to be
 * discarded (`runPrepared`).
 */
export function replaceEach(
  tx: Tx,
  caller: Caller,
  pks: readonly number[],
  rewrite: Rewrite,
  purpose = '',
): number {
  const prepared = takeStaged(tx, purpose, pks)
  const ready = pks.filter((pk) => prepared.has(pk))
  if (ready.length > 0) writeStaged(tx, caller, ready)
  if (ready.length > 0 && ready.length < pks.length) clearStage(tx)
  let links = ready.reduce((sum, pk) => sum + (prepared.get(pk) ?? 0), 0)
  const others = pks.filter((pk) => !prepared.has(pk))
  for (const group of groupsOf(tx, others)) {
    const contents = readTexts(tx, group).flatMap((note) => newContent(note, rewrite) ?? [])
    const long = stage(tx, contents)
    if (contents.length > 0)
      writeStaged(
        tx,
        caller,
        contents.map(({ note }) => note),
        long,
      )
    links += contents.reduce((sum, content) => sum + content.links, 0)
    clearStage(tx)
  }
  return links
}

/** More is left to the transaction. */
const MAX_PREPARED_BYTES = 64 * 1024 * 1024

/**
 * Does what `replaceEach` may do before its transaction; here `rewrite` must not refuse. Left to the transaction are what
 * it may have to refuse, bodies with many links, and everything while links are out of date.
 */
export function prepareEach(
  reader: Reader,
  { workspacePk }: Pick<Caller, 'workspacePk'>,
  pks: readonly number[],
  rewrite: Rewrite,
  purpose: string,
): void {
  openStage(reader, purpose)
  if (hasPendingLinks(reader, workspacePk)) return
  let room = MAX_PREPARED_BYTES
  for (const group of groupsOf(reader, pks)) {
    const contents = readTexts(reader, group).flatMap((note) => newContent(note, rewrite) ?? [])
    const short = contents.filter(({ content }) => !isTooLong(content) && !mayHaveManyLinks(content))
    stage(reader, short)
    room -= short.reduce((sum, { content }) => sum + content.length, 0)
    if (room <= 0) return
  }
}
