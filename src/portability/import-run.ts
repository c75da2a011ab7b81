import type { SQLiteError } from 'bun:sqlite'
import type { Db } from '../db/database.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { Refusal, refused } from '../refusal.ts'

export interface Refused {
  /** The file, and the line or row in it where there is one. */
  readonly place: string
  readonly reason: string
}

export interface AttemptsReport {
  refusedCount: number
  /** The first of them. */
  readonly refused: Refused[]
  /** Whether anything was written. */
  isWritten: boolean
}

const REFUSALS_TOLD = 20

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'check its permissions',
  EPERM: 'check its permissions',
  ELOOP: 'its links lead in a circle, so name what they should lead to',
  ENAMETOOLONG: 'its name is too long for this system, so shorten it',
}

/** What the system says of something it does not let us read, such as EACCES; undefined for any other error. */
export function systemRefusal(error: unknown, what = 'it'): Refusal | undefined {
  const { syscall, code = '' } = error as NodeJS.ErrnoException
  if (syscall === undefined) return undefined
  return refused(`${what} cannot be read (${code}); ${ADVICE[code] ?? 'check the disk that it is on'}.`)
}

/** The index is the guarantee of what the rules did not look for. */
function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  const refusal = systemRefusal(error)
  if (refusal) return refusal
  if ((error as SQLiteError).code !== 'SQLITE_CONSTRAINT_UNIQUE') return undefined
  return refused('something with this id, or with values that must be unique, exists already.')
}

/** The parts of one import, each of which is written whole or refused with a reason. */
export class Attempts {
  readonly report: AttemptsReport = { refusedCount: 0, refused: [], isWritten: false }

  constructor(readonly tx: Tx) {}

  /** Answers the refusal, if any; then nothing of the part is written. */
  refusalOf(part: () => void): Refusal | undefined {
    const { sql } = this.tx
    sql.run('SAVEPOINT import_part')
    try {
      part()
      sql.run('RELEASE import_part')
      return undefined
    } catch (error) {
      const refusal = asRefusal(error)
      if (!refusal) throw error
      sql.run('ROLLBACK TO import_part')
      sql.run('RELEASE import_part')
      return refusal
    }
  }

  /** Writes a part, or notes why not. */
  try(place: string, part: () => void): boolean {
    const refusal = this.refusalOf(part)
    if (refusal) this.note(place, refusal.message)
    return refusal === undefined
  }

  note(place: string, reason: string): void {
    this.report.refusedCount += 1
    if (this.report.refused.length < REFUSALS_TOLD) this.report.refused.push({ place, reason })
  }
}

export interface ImportMode {
  /** Finds out everything and writes nothing. */
  readonly isDryRun: boolean
  /** Leaves out what is refused, instead of writing nothing. */
  readonly skipsBad: boolean
}

/** Thrown out of a transaction to take everything in it back. */
class TakenBack<Outcome> extends Error {
  constructor(readonly outcome: Outcome) {
    super('nothing is written')
  }
}

/**
 * Runs an import in one transaction. When any part is refused nothing is written, unless those are to be skipped.
 * Nobody listens in this process, so what would be told after the commit is not kept: it would fill the memory.
 */
export async function importWhole<Outcome>(
  db: Db,
  { isDryRun, skipsBad }: ImportMode,
  run: (attempts: Attempts) => Outcome,
): Promise<Outcome & AttemptsReport> {
  try {
    const written = await db.write((tx) => {
      const attempts = new Attempts({ ...tx, afterCommit: () => {} })
      const outcome = { ...run(attempts), ...attempts.report }
      if (isDryRun || (outcome.refusedCount > 0 && !skipsBad)) throw new TakenBack(outcome)
      return { outcome }
    })
    return { ...written.outcome, isWritten: true }
  } catch (error) {
    if (error instanceof TakenBack) return error.outcome as Outcome & AttemptsReport
    throw error
  }
}
