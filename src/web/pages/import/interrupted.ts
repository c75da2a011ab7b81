import { sessionKey } from '../../data/session-key.ts'

/** Remembers when an import began until it ends, so that a later visit can continue or undo all of it. */
export class InterruptedImport {
  readonly #name: string

  constructor(folder: string) {
    this.#name = `import ${sessionKey.peek()} ${folder}`
  }

  /** When the interrupted import of the folder began, by the clock of the server; undefined if none was interrupted. */
  get since(): number | undefined {
    try {
      return Number(localStorage.getItem(this.#name) ?? '') || undefined
    } catch {
      return undefined
    }
  }

  begin(since: number): void {
    try {
      localStorage.setItem(this.#name, String(since))
    } catch {
      // Without storage, only this page can undo the import.
    }
  }

  end(): void {
    try {
      localStorage.removeItem(this.#name)
    } catch {
      // Nothing is stored.
    }
  }
}
