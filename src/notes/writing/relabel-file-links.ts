import type { Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { refused } from '../../refusal.ts'
import { fileTarget, withFileLabel } from '../links/syntax.ts'
import { markForSearch } from '../search/indexing.ts'
import { touchNote, updateContent } from '../store.ts'
import { isTooLong, saveRevision } from './update.ts'

interface LinkingNote {
  pk: number
  title: string
  content: string
  isTrashed: number
}

/** Notes that link to the file, trashed ones too: a restored note must not show the old name. */
const notesLinkingTo = ({ sql }: Tx, workspace: number, fileId: string): LinkingNote[] =>
  sql.all(
    `SELECT n.pk, n.title, n.deleted_at IS NOT NULL AS isTrashed,
       (SELECT content FROM note_bodies b WHERE b.note = n.pk) AS content
     FROM note_links l CROSS JOIN notes n ON n.pk = l.note WHERE l.workspace = ? AND l.target = ?`,
    workspace,
    fileTarget(fileId),
  )

/** Writes the new name of a file into every link to it that has a label; saves a revision of each changed note. */
export function relabelFileLinks(tx: Tx, caller: Caller, fileId: string, fileName: string): void {
  for (const note of notesLinkingTo(tx, caller.workspacePk, fileId)) {
    const content = withFileLabel(note.content, fileId, fileName)
    if (content === note.content) continue
    if (isTooLong(content)) throw noRoom(note.title)
    saveRevision(tx, caller, note)
    updateContent(tx, note.pk, content)
    touchNote(tx, note.pk)
    if (note.isTrashed === 0) markForSearch(tx, caller.workspacePk, note.pk)
  }
}

const noRoom = (title: string) =>
  refused(`The note "${title}" links to the file and has no room for so long a name; choose a shorter one.`)
