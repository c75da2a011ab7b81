import type { Caller } from '../../context.ts'
import { hides } from '../../kernel/caller.ts'
import { refused } from '../../lib/refusal.ts'
import { fileTarget, withFileLabel } from '../../lib/wiki-links.ts'
import { logTextUpdates } from '../../log/log.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { isTooLong } from '../content-length.ts'
import { publishNoteUpdate, wholeNoteJson } from '../events.ts'
import { refuseNewFileLinks } from '../links/file-links.ts'
import { indexLinks, indexPendingLinks } from '../links/indexing.ts'
import { markAllForSearch } from '../search/indexing.ts'
import { saveRevision, touchNotes, updateContent } from '../store.ts'

const contentOfRevision = ({ sql }: Reader, pk: number): string =>
  sql.scalar('SELECT content FROM revisions WHERE pk = ?', pk)

/** A note for a change of its body only; it may be trashed. */
export interface NoteText {
  readonly pk: number
  readonly id: string
  readonly title: string
  readonly content: string
  readonly updatedAt: number
}

/** Finds a note of any workspace, active or trashed. */
const findNoteText = ({ sql }: Reader, pk: number): NoteText | undefined =>
  sql.get(
    `SELECT n.pk, n.id, n.title, n.updated_at AS updatedAt,
       (SELECT content FROM note_bodies b WHERE b.note = n.pk) AS content
     FROM notes n WHERE n.pk = ?`,
    pk,
  )

/** The pks of the notes that link to one of these targets (keys as in `note_links`), including trashed notes. */
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

export const bytesOf = ({ sql }: Reader, notes: readonly number[]): number =>
  sql.scalar(
    'SELECT total(octet_length(content)) FROM note_bodies WHERE note IN (SELECT value FROM json_each(?))',
    JSON.stringify(notes),
  )

/** A rewritten body, and the number of its changed links. */
export interface Rewritten {
  readonly content: string
  readonly links: number
}

/** Returns undefined to leave the body unchanged; may refuse. */
type Rewrite = (note: NoteText) => Rewritten | undefined

/**
 * Replaces the bodies for which `rewrite` returns another, even in the trash, and saves a revision of each, as an edit
 * does. Returns the number of rewritten links. Unless `isEdit` is set, the notes only follow a change of something
 * else.
 */
export function replaceEach(
  tx: Tx,
  caller: Caller,
  pks: readonly number[],
  rewrite: Rewrite,
  isEdit = false,
): number {
  const { workspacePk: workspace } = caller
  const replaced: number[] = []
  const updates: [id: string, revision: number][] = []
  let links = 0
  for (const pk of pks) {
    const note = findNoteText(tx, pk)
    const rewritten = note && rewrite(note)
    if (!rewritten) continue
    if (hides(caller.rights, 'files')) refuseNewFileLinks(rewritten.content, note.content)
    updates.push([note.id, saveRevision(tx, caller, note)])
    updateContent(tx, pk, rewritten.content)
    indexLinks(tx, { workspace, note: pk }, rewritten.content)
    replaced.push(pk)
    links += rewritten.links
  }
  logTextUpdates(tx, caller, updates, (index) =>
    wholeNoteJson(tx, replaced[index] ?? 0, {
      columns: { content: contentOfRevision(tx, updates[index]?.[1] ?? 0) },
    }),
  )
  touchNotes(tx, JSON.stringify(replaced), isEdit)
  markAllForSearch(tx, workspace, JSON.stringify(replaced), { canWait: false })
  const difference = { changed: ['content'], previous: {} }
  for (const [id, revision] of updates) publishNoteUpdate(tx, caller, id, difference, revision)
  return links
}

/**
 * Writes the new name of a file into every labelled link to it; saves a revision of each changed note. Trashed notes
 * change too, because a restored note must not show the old name.
 */
export function relabelFileLinks(tx: Tx, caller: Caller, fileId: string, fileName: string): void {
  indexPendingLinks(tx, caller.workspacePk)
  const linking = notesWithLinks(tx, caller.workspacePk, [fileTarget(fileId)])
  replaceEach(tx, caller, linking, ({ title, content }) => {
    const replaced = withFileLabel(content, fileId, fileName)
    if (replaced === content) return undefined
    if (isTooLong(replaced)) throw tooLongWithName(title)
    return { content: replaced, links: 1 }
  })
}

const tooLongWithName = (title: string) =>
  refused(`The note "${title}" links to the file and would be too long with this name; choose a shorter one.`)
