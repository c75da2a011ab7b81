import type { InWorkspace } from '../context.ts'
import { wholeListQuery } from '../http/whole-list.ts'
import { presentFile } from './present.ts'
import { listFiles } from './service.ts'

interface FilesInput extends InWorkspace {
  /** Without one, the files of the workspace. */
  readonly noteId?: string | undefined
}

export const filesQuery = wholeListQuery<FilesInput>('files.list', 'files', (reader, input) =>
  listFiles(reader, input, input.noteId).map(presentFile),
)
