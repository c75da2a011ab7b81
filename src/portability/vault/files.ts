import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from '../../context.ts'
import { mimeTypeOf } from '../../files/extraction/kinds.ts'
import { MAX_FILE_BYTES, refuseTooLarge } from '../../files/service.ts'
import { insertWholeFile } from '../../files/store.ts'
import type { ImportRun } from '../import-run.ts'
import { baseName, type FolderFile } from './folder.ts'
import { nameOf } from './note.ts'

export interface AddedFile {
  readonly id: string
  readonly fileName: string
}

/** Adds the files of a folder, each once. Their text is extracted when a server runs next. */
export class VaultFiles {
  readonly #added = new Map<FolderFile, AddedFile | undefined>()

  constructor(
    private readonly run: ImportRun,
    private readonly caller: Caller,
    private readonly folder: string,
  ) {}

  get count(): number {
    return [...this.#added.values()].filter((file) => file !== undefined).length
  }

  /** The file, attached to the first note that asks for it; undefined when it is refused. */
  add(file: FolderFile, note: number | null): AddedFile | undefined {
    if (!this.#added.has(file)) {
      this.#added.set(file, undefined)
      this.run.try(file.path, () => {
        this.#added.set(file, this.#insert(file, note))
      })
    }
    return this.#added.get(file)
  }

  #insert(file: FolderFile, note: number | null): AddedFile {
    const { tx } = this.run
    const bytes = this.#read(file)
    const createdAt = Math.min(Math.max(file.modifiedAt, 0), tx.now)
    const added = { id: tx.newId(), fileName: this.#fileNameOf(file) }
    const mimeType = mimeTypeOf(added.fileName)
    const row = { ...added, workspace: this.caller.workspacePk, note, mimeType, size: bytes.length }
    insertWholeFile({ ...tx, now: createdAt }, row, bytes)
    return added
  }

  #fileNameOf({ path }: FolderFile): string {
    const name = nameOf(baseName(path))
    if (name !== baseName(path).normalize('NFC'))
      this.run.changed.add({ place: path, what: `its name becomes "${name}".` })
    return name
  }

  #read({ path, bytes }: FolderFile): Uint8Array {
    if (bytes > MAX_FILE_BYTES) refuseTooLarge(bytes)
    return readFileSync(join(this.folder, path))
  }
}
