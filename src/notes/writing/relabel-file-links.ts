import type { Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { refused } from '../../refusal.ts'
import { isTooLong } from '../content-length.ts'
import { indexPendingLinks } from '../links/indexing.ts'
import { fileTarget, withFileLabel } from '../links/syntax.ts'
import { notesWithLinks, replaceEach } from './replace-content.ts'

/**
 * Writes the new name of a file into every link to it that has a label; saves a revision of each changed note. Trashed
 * notes change too: a restored note must not show the old name.
 */
export function relabelFileLinks(tx: Tx, caller: Caller, fileId: string, fileName: string): void {
  indexPendingLinks(tx, caller.workspacePk)
  const linking = notesWithLinks(tx, caller.workspacePk, [fileTarget(fileId)])
  replaceEach(tx, caller, linking, ({ title, content }) => {
    const replaced = withFileLabel(content, fileId, fileName)
    if (replaced === content) return undefined
    if (isTooLong(replaced)) throw noRoom(title)
    return { content: replaced, links: 1 }
  })
}

const noRoom = (title: string) =>
  refused(`The note "${title}" links to the file and would be too long with this name; choose a shorter one.`)
