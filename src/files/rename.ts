import type { AppContext, Caller } from '../context.ts'
import { relabelFileLinks } from '../notes/writing/file-links.ts'
import { checkedFileName } from './add.ts'
import { getFile } from './service.ts'
import { type FileRow, updateFileName } from './store.ts'

/**
 * Renames a file and, in the same transaction, the label of every link to it in notes, trashed ones too, which makes
 * revisions (contract, section 8).
 */
export const renameFile = (
  ctx: AppContext,
  caller: Caller,
  id: string,
  { file_name: fileName }: { file_name?: string },
): Promise<FileRow> =>
  ctx.db.write((tx) => {
    const file = getFile(tx, caller, id)
    if (fileName === undefined || fileName === file.fileName) return file
    updateFileName(tx, file.pk, checkedFileName(fileName))
    relabelFileLinks(tx, caller, id, fileName)
    return getFile(tx, caller, id)
  })
