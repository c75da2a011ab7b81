import { baseName, DELETED, type FolderFile } from '../../../transfer/vault/plan/files.ts'
import type { Remark } from './folder.ts'

/** The note or file that an earlier import of the folder created. */
export interface Imported {
  readonly path: string
  readonly state: string
  readonly id: string
  /** The title of the note or the name of the file; null if it was deleted. */
  readonly name: string | null
}

/** Distinguishes versions of a file. */
export const stateOf = ({ bytes, modifiedAt }: FolderFile): string => `${bytes}-${modifiedAt}`

const CHANGED =
  'it has changed since its import; the imported version stays as it is. To import everything again, rename the folder.'

/** Finds the earlier import of a file by its path, or of a moved file by its name, size and time. */
export class EarlierImport {
  readonly #byPath = new Map<string, Imported>()
  /** Imports whose file is no longer in the folder. */
  readonly #gone = new Map<string, Imported>()

  constructor(imported: readonly Imported[], current: ReadonlySet<string>) {
    for (const one of imported)
      if (current.has(one.path)) this.#byPath.set(one.path, one)
      else this.#gone.set(`${one.state} ${baseName(one.path)}`, one)
  }

  find(file: FolderFile): Imported | undefined {
    const known = this.#byPath.get(file.path)
    if (known) return known
    const key = `${stateOf(file)} ${baseName(file.path)}`
    const moved = this.#gone.get(key)
    this.#gone.delete(key)
    return moved
  }

  /** Files that were removed from the folder while their note or file still exists. */
  gone(): Remark[] {
    return [...this.#gone.values()]
      .filter(({ name }) => name !== null)
      .map(({ path }) => ({
        place: path,
        what: 'it is no longer in the folder; its imported note or file stays.',
      }))
  }
}

/** Why an earlier imported file is skipped with a remark; undefined if it is unchanged. */
export function reasonToSkip(file: FolderFile, { path, state, name }: Imported): string | undefined {
  if (name === null) return DELETED
  if (path !== file.path) return `it was imported as “${path}”; the imported version stays as it is.`
  return state === stateOf(file) ? undefined : CHANGED
}
