import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { indexLinksOfMany } from '../links/indexing.ts'
import { markAllForSearch } from '../search/indexing.ts'
import { touchNotes, updateContent } from '../store.ts'
import { logAttribute } from './log-update.ts'
import { saveRevision } from './update.ts'

/** A note whose body alone changes; it may be in the trash. */
export interface NoteText {
  readonly pk: number
  readonly id: string
  readonly title: string
  readonly content: string
  readonly isTrashed: number
}

const COLUMNS = `n.pk, n.id, n.title, n.deleted_at IS NOT NULL AS isTrashed,
  (SELECT content FROM note_bodies b WHERE b.note = n.pk) AS content`

export const findNoteText = ({ sql }: Reader, pk: number): NoteText | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM notes n WHERE n.pk = ?`, pk)

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

interface Replacement {
  readonly note: NoteText
  readonly content: string
}

/** Replaces the body of a note and saves a revision of it, as an edit does, also in the trash. */
export const replaceContent = (tx: Tx, caller: Caller, note: NoteText, content: string): void =>
  replaceContents(tx, caller, [{ note, content }])

/** So much is replaced at once, which takes a fraction of the time that one note after the other takes. */
const NOTES_AT_ONCE = 500
const CHARACTERS_AT_ONCE = 2 * 1024 * 1024

/** Replaces the bodies for which `rewrite` returns another, in the order of the pks. */
export function replaceEach(
  tx: Tx,
  caller: Caller,
  pks: readonly number[],
  rewrite: (note: NoteText) => string | undefined,
): void {
  let batch: Replacement[] = []
  let characters = 0
  for (const pk of pks) {
    const note = findNoteText(tx, pk)
    if (!note) continue
    const content = rewrite(note)
    if (content === undefined) continue
    batch.push({ note, content })
    characters += note.content.length + content.length
    if (batch.length < NOTES_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue
    replaceContents(tx, caller, batch)
    batch = []
    characters = 0
  }
  replaceContents(tx, caller, batch)
}

function replaceContents(tx: Tx, caller: Caller, replacements: readonly Replacement[]): void {
  const { workspacePk: workspace } = caller
  for (const { note, content } of replacements) {
    const revision = saveRevision(tx, caller, note)
    updateContent(tx, note.pk, content)
    logAttribute(tx, caller, note.id, 'content', undefined, revision)
  }
  const notes = JSON.stringify(replacements.map(({ note }) => note.pk))
  indexLinksOfMany(
    tx,
    workspace,
    replacements.map(({ note, content }) => ({ note: note.pk, content })),
  )
  touchNotes(tx, notes)
  markAllForSearch(tx, workspace, notes, { canWait: false })
}
