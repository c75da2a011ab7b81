import type { FolderFile } from './files.ts'
import { withoutId } from './sources/notion.ts'
import type { Source } from './sources/source.ts'

/*
 * A database of Notion is a CSV file, and each row has a page in the folder beside it. Notion writes a database twice if
 * a view hides some of its rows.
 */

/** The name of a file with a database. */
const DATABASE = /^([^/]*) ([\da-f]{32})(_all)?\.csv$/

export interface Database {
  readonly path: string
  /** Its name, without the id. */
  readonly name: string
  /** Its id with the path of its folder, the same for both copies. */
  readonly key: string
  /** Whether this copy has the rows that a view hides. */
  readonly isWhole: boolean
  /** The folders that may hold the pages; newer exports leave the id out. */
  readonly folders: ReadonlySet<string>
}

/** The database in a file of an export; undefined for any other file. */
export function databaseAt(path: string): Database | undefined {
  const parent = path.slice(0, path.lastIndexOf('/') + 1)
  const [, name = '', id = '', all] = DATABASE.exec(path.slice(parent.length)) ?? []
  if (id === '') return undefined
  const folders = new Set([`${parent}${name} ${id}`, `${parent}${name}`])
  return {
    ...{ path, folders },
    name: withoutId(name).trim() || 'Table',
    key: parent + id,
    isWhole: all !== undefined,
  }
}

interface Found<File> {
  readonly databases: readonly { readonly file: File; readonly database: Database }[]
  /** Second copies of databases. */
  readonly copies: readonly File[]
  readonly others: readonly File[]
}

/** Divides the files beside the notes of a folder, of which only an export of Notion has databases. */
export function databasesIn<File extends FolderFile>(
  files: readonly File[],
  { name }: Pick<Source, 'name'>,
): Found<File> {
  if (name !== 'notion') return { databases: [], copies: [], others: files }
  const databases = new Map<string, Found<File>['databases'][number]>()
  const copies: File[] = []
  const others: File[] = []
  for (const file of files) {
    const database = databaseAt(file.path)
    if (!database) {
      others.push(file)
      continue
    }
    const known = databases.get(database.key)
    if (known) copies.push(database.isWhole ? known.file : file)
    if (!known || database.isWhole) databases.set(database.key, { file, database })
  }
  return { databases: [...databases.values()], copies, others }
}

/** The label of the field that links a row to the note of its page. */
export const PAGE_LABEL = 'Page'

export const isPageField = ({
  type,
  label,
}: {
  readonly type: string
  readonly label: string | null
}): boolean => type === 'note' && label === PAGE_LABEL

/** The remark on a second copy. */
export const IS_COPY = 'another file holds all rows of this table.'
