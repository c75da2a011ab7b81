import type { Caller } from '../context.ts'
import { Refusal, refused } from '../lib/refusal.ts'
import { logSavepoint } from '../log/savepoint.ts'
import type { Db } from '../storage/database.ts'
import { isUniqueViolation } from '../storage/errors.ts'
import { resultOf, Trial, type Tx } from '../storage/writes/transaction.ts'
import { systemRefusal } from './read-file.ts'

/** A part of an import that was not written. */
export interface RefusedPart {
  /** The file, and its line or row if there is one. */
  readonly place: string
  readonly reason: string
}

/** An updated note, or content that is stored differently from the file. */
export interface ChangedPart {
  readonly place: string
  readonly what: string
}

export interface ImportReport {
  readonly refused: readonly RefusedPart[]
  readonly isWritten: boolean
}

export interface ImportMode {
  /** Checks everything and writes nothing. */
  readonly isDryRun: boolean
  /** Whether to skip refused parts instead of writing nothing. */
  readonly skipsBad: boolean
}

/** A unique index may refuse values that no earlier check covered. */
function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  const refusal = systemRefusal(error)
  if (refusal) return refusal
  if (!isUniqueViolation(error)) return undefined
  return refused('something with this id, or with values that must be unique, exists already.')
}

/** One import: its transaction, and its refused or changed parts. Each part is written completely or not at all. */
export class ImportRun {
  readonly refused: RefusedPart[] = []
  readonly changed: ChangedPart[] = []
  /** Parts that were skipped without a refusal. */
  readonly skipped: RefusedPart[] = []

  constructor(
    readonly tx: Tx,
    readonly caller: Caller,
  ) {}

  /** Records an update, or content that is stored differently. */
  change(place: string, what: string): void {
    this.changed.push({ place, what })
  }

  /** Begins a savepoint. The returned functions keep or discard everything that is written after it. */
  savepoint(name: 'import_part' | 'early_rows'): { keep(): void; discard(): void } {
    const { sql } = this.tx
    const resetLog = logSavepoint(this.tx)
    sql.run(`SAVEPOINT ${name}`)
    const keep = () => void sql.run(`RELEASE ${name}`)
    return {
      keep,
      discard: () => {
        sql.run(`ROLLBACK TO ${name}`)
        keep()
        resetLog()
      },
    }
  }

  /**
   * Writes a part in a savepoint. Returns the refusal, if any; then nothing of the part is written. In a copy, the whole
   * import is refused.
   */
  refusalOf(part: () => void): Refusal | undefined {
    const { keep, discard } = this.savepoint('import_part')
    try {
      part()
      keep()
      return undefined
    } catch (error) {
      const refusal = asRefusal(error)
      if (!refusal || refusal.code === 'mirror') throw error
      discard()
      return refusal
    }
  }

  /** Writes a part, or records why it is refused. Returns whether it was written. */
  try(place: string, part: () => void): boolean {
    const refusal = this.refusalOf(part)
    if (refusal) this.refused.push({ place, reason: refusal.message })
    return refusal === undefined
  }

  /**
   * Writes all parts at once. If one is refused, writes them one by one, so that every refusal is found. Returns the
   * number of written parts.
   */
  tryEach<Part>(
    parts: readonly Part[],
    placeOf: (part: Part) => string,
    write: (parts: readonly Part[]) => void,
  ): number {
    if (!this.refusalOf(() => write(parts))) return parts.length
    return parts.filter((part) => this.try(placeOf(part), () => write([part]))).length
  }
}

/**
 * Runs an import in one transaction. If any part is refused, nothing is written, unless `skipsBad` omits the part.
 * `afterCommit` callbacks are dropped: this process has no watches, and one for every row would fill the memory.
 */
export const runImport = <Outcome>(
  db: Db,
  caller: Caller,
  { isDryRun, skipsBad }: ImportMode,
  importAll: (run: ImportRun) => Outcome,
): Promise<Outcome & ImportReport> =>
  resultOf(
    db.write((tx): { result: Outcome & ImportReport } => {
      const run = new ImportRun({ ...tx, afterCommit: () => {} }, caller)
      const outcome = importAll(run)
      const isWritten = !isDryRun && (skipsBad || run.refused.length === 0)
      const result = { ...outcome, refused: run.refused, isWritten }
      if (!isWritten) throw new Trial({ result })
      return { result }
    }),
  ).then(({ result }) => result)
