import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { type NewContent, openStage, writeStaged } from './staged-contents.ts'

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
  return rewritten && { ...rewritten, note: note.pk }
}

/** Replaces the bodies for which `rewrite` returns another; returns how many links that rewrote. */
export function replaceEach(tx: Tx, caller: Caller, pks: readonly number[], rewrite: Rewrite): number {
  openStage(tx)
  let links = 0
  for (const group of groupsOf(tx, pks)) {
    const contents = readTexts(tx, group).flatMap((note) => newContent(note, rewrite) ?? [])
    if (contents.length > 0) writeStaged(tx, caller, contents)
    links += contents.reduce((sum, content) => sum + content.links, 0)
  }
  return links
}
