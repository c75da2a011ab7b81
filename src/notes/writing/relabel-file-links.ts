import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { refused } from '../../refusal.ts'
import { hasPendingLinks, indexPendingLinks } from '../links/indexing.ts'
import { fileTarget, withFileLabel } from '../links/syntax.ts'
import { isTooLong } from '../schema.ts'
import {
  bytesOf,
  MAIN_THREAD_LIMITS,
  notesWithLinks,
  prepareEach,
  type Rewrite,
  replaceEach,
} from './replace-content.ts'

/** Whether many notes link to the file, so that a worker should write its new name into them. */
export function hasManyLinksTo(reader: Reader, { workspacePk: workspace }: Caller, fileId: string): boolean {
  if (hasPendingLinks(reader, workspace)) return true
  const { notes, bytes } = MAIN_THREAD_LIMITS
  const linking = notesWithLinks(reader, workspace, [fileTarget(fileId)], notes + 1)
  return linking.length > notes || bytesOf(reader, linking) > bytes
}

/**
 * Writes the new name of a file into every link to it that has a label; saves a revision of each changed note. Trashed
 * notes change too: a restored note must not show the old name.
 */
export function relabelFileLinks(tx: Tx, caller: Caller, fileId: string, fileName: string): void {
  indexPendingLinks(tx, caller.workspacePk)
  const linking = notesWithLinks(tx, caller.workspacePk, [fileTarget(fileId)])
  const { purpose, rewrite } = relabelling(fileId, fileName)
  const checked: Rewrite = (note) => {
    const replaced = rewrite(note)
    if (replaced && isTooLong(replaced.content)) throw noRoom(note.title)
    return replaced
  }
  replaceEach(tx, caller, linking, checked, purpose)
}

/** Prepares that before the transaction; it refuses nothing. */
export function prepareFileLinks(reader: Reader, caller: Caller, fileId: string, fileName: string): void {
  const linking = notesWithLinks(reader, caller.workspacePk, [fileTarget(fileId)])
  const { purpose, rewrite } = relabelling(fileId, fileName)
  prepareEach(reader, caller, linking, rewrite, purpose)
}

const relabelling = (fileId: string, fileName: string): { purpose: string; rewrite: Rewrite } => ({
  purpose: JSON.stringify(['file', fileId, fileName]),
  rewrite: ({ content }) => {
    const replaced = withFileLabel(content, fileId, fileName)
    return replaced === content ? undefined : { content: replaced, links: 1 }
  },
})

const noRoom = (title: string) =>
  refused(`The note "${title}" links to the file and would be too long with this name; choose a shorter one.`)
