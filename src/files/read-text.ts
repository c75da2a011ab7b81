import type { Db } from '../db/database.ts'
import { inSteps } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { type Claim, isHeld, settleClaim } from './claims.ts'
import type { Limits } from './extraction/child.ts'
import type { Extracted } from './extraction/document.ts'
import { kindOf } from './extraction/kinds.ts'
import { type Extraction, startExtraction } from './extraction/run.ts'
import type { Result } from './extraction/worker.ts'
import { placeOf } from './part-keys.ts'
import { ensurePageTable, indexPage, removeSomePages } from './search-table.ts'
import { insertPage, readParts } from './store.ts'

/** A file that was begun so often and never ended, as when the machine is too small for it, is given up. */
const MOST_ATTEMPTS = 5
const BATCH_TIME_MS = 5
const PAGES_AT_ONCE = 50

const failure = (failed: string): Extraction => ({ result: Promise.resolve({ failed }), stop: () => {} })

/** Begins to read the text of a claimed file. */
export function readText(db: Db, { file, fileName, attempts }: Claim, limits?: Limits): Extraction {
  if (attempts > MOST_ATTEMPTS)
    return failure('Reading the text was begun several times and never came to an end.')
  const { value: beginning = new Uint8Array() } = readParts(db, file).next()
  const kind = kindOf(fileName, beginning)
  if (kind === undefined) return failure('No text can be read from this kind of file.')
  return startExtraction(kind, readParts(db, file), limits)
}

/** Keeps what came of it, in short writes; the file is ready, and found, with the last one. Throws when it is ended. */
export async function keepResult(db: Db, claim: Claim, result: Result, signal?: AbortSignal): Promise<void> {
  await dropPages(db, claim, signal)
  if ('failed' in result) {
    const outcome = { status: 'failed', pages: null, error: result.failed, outline: null } as const
    await db.write((tx): void => void settleClaim(tx, claim, outcome))
    return
  }
  let done = 0
  const keepNext = (tx: Tx): boolean => {
    const kept = keepSome(tx, claim, result, done)
    done += kept
    return kept > 0 && done < result.pages.length
  }
  await inSteps(db, keepNext, signal)
  const { pages, outline } = result
  const outcome = {
    status: 'ready',
    pages: pages.length,
    error: null,
    outline: JSON.stringify(outline),
  } as const
  await db.write((tx): void => void settleClaim(tx, claim, outcome))
}

/** Removes what an attempt left that was stopped. */
async function dropPages(db: Db, claim: Claim, signal?: AbortSignal): Promise<void> {
  const dropSome = (tx: Tx): boolean => {
    ensurePageTable(tx, claim.workspace)
    return isHeld(tx, claim) && removeSomePages(tx, claim.workspace, claim.file, PAGES_AT_ONCE) > 0
  }
  await inSteps(db, dropSome, signal)
}

/** Keeps the next pages for a few milliseconds; answers how many, none when the claim is lost. */
function keepSome(tx: Tx, claim: Claim, { pages }: Extracted, from: number): number {
  if (!isHeld(tx, claim)) return 0
  const until = performance.now() + BATCH_TIME_MS
  let done = from
  do {
    const text = pages[done] ?? ''
    done += 1
    insertPage(tx, claim.file, done, text)
    indexPage(tx, claim.workspace, placeOf(claim.file, done), text)
  } while (done < pages.length && performance.now() < until)
  return done - from
}

/** Reads the text of a claimed file to the end. */
export async function readAndKeep(db: Db, claim: Claim, limits?: Limits): Promise<void> {
  const result = await readText(db, claim, limits).result
  if (result) await keepResult(db, claim, result)
}
