import type { InWorkspace } from '../context.ts'
import { costOfRows, wholeListQuery } from '../http/whole-list.ts'
import { presentFile } from './present.ts'
import { listFiles } from './service.ts'

interface FilesInput extends InWorkspace {
  /** Without one, the files of the workspace. */
  readonly noteId?: string | undefined
}

export const filesQuery = wholeListQuery<FilesInput>({
  name: 'files.list',
  member: 'files',
  cost: (reader, { workspacePk }) => costOfRows(reader, 'files', workspacePk, { perRow: 2 }),
  list: (reader, input) => listFiles(reader, input, input.noteId).map(presentFile),
})
