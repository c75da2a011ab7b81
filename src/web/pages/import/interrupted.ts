import { sessionKey } from '../../data/session-key.ts'
import { readStored, store } from '../../data/stored.ts'

/** Remembers when an import began until it ends, so that a later visit can continue or undo all of it. */
export class InterruptedImport {
  readonly #name: string

  constructor(folder: string) {
    this.#name = `import ${sessionKey.peek()} ${folder}`
  }

  /** When the interrupted import of the folder began, by the clock of the server; undefined if none was interrupted. */
  get since(): number | undefined {
    return readStored('localStorage', this.#name)
  }

  /** Without storage, only this page can undo the import. */
  begin(since: number): void {
    store('localStorage', this.#name, since)
  }

  end(): void {
    store('localStorage', this.#name, undefined)
  }
}
