import { baseName, DELETED, type FolderFile } from '../../../portability/vault/plan/folder-files.ts'
import type { Remark } from './folder.ts'

/** What an earlier import of the folder made of a file. */
export interface Imported {
  readonly path: string
  readonly state: string
  readonly id: string
  /** The title of the note or the name of the file; null where it is deleted. */
  readonly name: string | null
}

/** By which another version of a file is told from the one that was imported. */
export const stateOf = ({ bytes, modifiedAt }: FolderFile): string => `${bytes}-${modifiedAt}`

const CHANGED =
  'it was changed since it was imported; what was imported stays as it was. Rename the folder to import all of it again.'

/** Looks files up among those that were imported before, by path; one that was moved, by its name, size and time. */
export class EarlierImport {
  readonly #byPath = new Map<string, Imported>()
  /** Those whose file is no longer in the folder. */
  readonly #gone = new Map<string, Imported>()

  constructor(imported: readonly Imported[], present: ReadonlySet<string>) {
    for (const one of imported)
      if (present.has(one.path)) this.#byPath.set(one.path, one)
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

  /** The files that are gone while what was made of them is still there. */
  gone(): Remark[] {
    return [...this.#gone.values()]
      .filter(({ name }) => name !== null)
      .map(({ path }) => ({ place: path, what: 'the file is gone; what was imported from it stays.' }))
  }
}

/** Why a file that was imported before is left out; undefined for one that is as it was. */
export function reasonToSkip(file: FolderFile, { path, state, name }: Imported): string | undefined {
  if (name === null) return DELETED
  if (path !== file.path) return `it was "${path}" when it was imported; what was imported from it stays.`
  return state === stateOf(file) ? undefined : CHANGED
}
