import { withCommas } from '../../../lib/text.ts'
import { isTooLong, MAX_CONTENT } from '../../../notes/content-length.ts'
import { Refused } from '../../data/request.ts'
import { type EarlierImport, reasonToSkip, stateOf } from './earlier-import.ts'
import type { SelectedFile } from './folder.ts'
import type { TablePreview } from './preview.ts'
import type { Reading } from './read-folder.ts'
import { isContentError } from './send-folder.ts'
import { type Decoded, textOf } from './texts.ts'

/** A database to create as a table. */
export interface NewTable extends Decoded {
  readonly file: SelectedFile
  readonly state: string
  readonly preview: TablePreview
}

/** Larger tables would hold up the server for others. */
const TOO_LONG = `it has more than ${withCommas(MAX_CONTENT)} characters; “daybook import” on the command line makes a table of it`

/** Reads the databases of a folder. Returns the new tables, and the databases that must stay files, with a remark. */
export async function planTables(
  { calls, signal, remarks }: Reading,
  databases: readonly { readonly file: SelectedFile }[],
  earlier: EarlierImport,
) {
  const tables: NewTable[] = []
  const files: SelectedFile[] = []
  let before = 0
  const plan = async (file: SelectedFile) => {
    const decoded = await textOf(file)
    if (isTooLong(decoded.text)) throw new Error(TOO_LONG)
    const preview = await calls.previewTable(file.path, decoded.text)
    tables.push({ ...decoded, file, state: stateOf(file), preview })
  }
  for (const { file } of databases) {
    signal.throwIfAborted()
    const made = earlier.find(file)
    const reason = made && reasonToSkip(file, made)
    if (reason !== undefined) remarks.skip(file.path, reason)
    if (made) {
      before += 1
      continue
    }
    try {
      await plan(file)
    } catch (error) {
      if (signal.aborted || (error instanceof Refused && !isContentError(error))) throw error
      remarks.change(file.path, `it becomes a file, not a table: ${(error as Error).message}`)
      files.push(file)
    }
  }
  return { tables, files, before }
}
