import type { Caller } from '../../../context.ts'
import { insertInto, updateOf } from '../../../db/query.ts'
import type { Reader } from '../../../db/reader.ts'
import { importedFiles } from '../../../db/schema/imported-files.ts'
import type { Tx } from '../../../db/writes/transaction.ts'
import type { WrittenFields } from '../earlier-imports.ts'
import { isNoteFile } from '../plan/folder-files.ts'

/** Where the files of a person's folder are written down; no folder that a command imports has such a path. */
export const storedFolder = ({ userId }: Caller, folder: string): string => `${userId}/${folder}`

/** The file of a folder, and the id of what is or will be made of it. */
interface Reserved {
  readonly pk: number
  readonly id: string
  readonly isFinished: boolean
}

function find({ sql }: Reader, caller: Caller, folder: string, path: string): Reserved | undefined {
  const row = sql.get<{ pk: number; id: string; digest: string }>(
    'SELECT pk, object AS id, digest FROM imported_files WHERE workspace = ? AND folder = ? AND path = ?',
    caller.workspacePk,
    storedFolder(caller, folder),
    path,
  )
  return row && { pk: row.pk, id: row.id, isFinished: row.digest !== '' }
}

const insert = insertInto(importedFiles)

/** The reserved id of a file; a new one when it has none yet. */
export function reserve(tx: Tx, caller: Caller, folder: string, path: string): Reserved {
  const known = find(tx, caller, folder, path)
  if (known) return known
  const id = tx.newId()
  const pk = insert(tx, {
    workspace: caller.workspacePk,
    folder: storedFolder(caller, folder),
    path,
    kind: isNoteFile({ path }) ? 'note' : 'file',
    object: id,
    digest: '',
    written: null,
    fields: null,
  })
  return { pk, id, isFinished: false }
}

const update = updateOf(importedFiles, importedFiles.pk)

interface Written {
  readonly digest: string
  readonly written: string | null
  readonly fields: WrittenFields | null
}

/** The note or file of a reserved id is there. */
export const finishFile = (tx: Tx, { pk }: Reserved, { fields, ...written }: Written): void =>
  update(tx, pk, { ...written, fields: fields && JSON.stringify(fields) })
