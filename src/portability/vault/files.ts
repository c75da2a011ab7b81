import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { LARGEST_FILE_BYTES, refuseTooLarge } from '../../files/add.ts'
import { mimeTypeOf } from '../../files/extraction/kinds.ts'
import { insertWholeFile } from '../../files/store.ts'
import type { Attempts } from '../import-run.ts'
import type { Changes } from './changes.ts'
import type { FolderFile } from './folder.ts'
import { fileNameOf } from './note.ts'

interface KeptFile {
  readonly id: string
  readonly fileName: string
}

/** Keeps the files of a folder, each once; their text is read when a server runs next. */
export class VaultFiles {
  readonly #kept = new Map<FolderFile, KeptFile | undefined>()

  constructor(
    private readonly attempts: Attempts,
    private readonly caller: Caller,
    private readonly folder: string,
    private readonly changes: Changes,
  ) {}

  get count(): number {
    return [...this.#kept.values()].filter((kept) => kept !== undefined).length
  }

  /** The file, attached to the note that asks for it first; undefined when it is refused. */
  keep(file: FolderFile, note: number | null): KeptFile | undefined {
    if (!this.#kept.has(file)) {
      this.#kept.set(file, undefined)
      this.attempts.try(file.path, () => {
        this.#kept.set(file, this.#write(file, note))
      })
    }
    return this.#kept.get(file)
  }

  #write(file: FolderFile, note: number | null): KeptFile {
    const bytes = this.#read(file)
    const { tx, changes } = { tx: this.attempts.tx, changes: this.changes }
    const made: Tx = { ...tx, now: Math.min(Math.max(file.changedAt, 0), tx.now) }
    const kept = { id: tx.newId(), fileName: fileNameOf(file, changes) }
    const mimeType = mimeTypeOf(kept.fileName)
    const row = { ...kept, workspace: this.caller.workspacePk, note, mimeType, size: bytes.length }
    insertWholeFile(made, row, bytes)
    return kept
  }

  #read({ path, bytes }: FolderFile): Uint8Array {
    if (bytes > LARGEST_FILE_BYTES) refuseTooLarge(bytes)
    return readFileSync(join(this.folder, path))
  }
}
