import { createBus } from '../changes/bus.ts'
import { findPosition } from '../changes/cursors.ts'
import { type Change, changesOfTransaction, selectAfter, sizeOf } from '../changes/read.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { TooLongForMainThread, type WorkerTask } from '../db/worker/client.ts'
import { writeUnlessDry } from '../db/writes/dry-run.ts'
import { taskTransaction } from '../db/writes/task-transaction.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { runPrepared } from '../notes/writing/staged-contents.ts'
import { noteBytes } from './feed.ts'
import { prepareUndo, type Undone, undoTransaction } from './undo-transaction.ts'

/** The main thread undoes this much, in a few milliseconds; a worker undoes more. */
const MAX_CHANGES_IN_MAIN_THREAD = 50
const MAX_BYTES_IN_MAIN_THREAD = 128 * 1024
/** What is read to find out how large a transaction is, with changes that follow it. */
const MAX_BYTES_READ_AHEAD = 1024 * 1024

/** Undoes all changes of notes and records of a transaction, in one new transaction, or refuses. */
export async function undo(
  ctx: AppContext,
  { signal: _, ...caller }: Caller,
  { transaction, dry_run: isDryRun = false }: { transaction: string; dry_run?: boolean },
): Promise<Undone> {
  if (!isLarge(ctx.db, caller, transaction)) {
    const undone = await undoShort(ctx, caller, transaction, isDryRun)
    if (undone) return isDryRun ? { ...undone, transaction: null } : undone
  }
  const input = { caller, transaction, isDryRun }
  const undone = await runPrepared(ctx.worker, undoPreparation, undoTask(ctx.features), input)
  if (undone.transaction !== null) ctx.bus.wake()
  return undone
}

/** On the main thread; undefined if a record that changes is too long for it. */
async function undoShort(
  { db, bus, features, worker }: AppContext,
  caller: Caller,
  transaction: string,
  isDryRun: boolean,
): Promise<Undone | undefined> {
  const ctx = { bus, features, budget: { left: worker.maxWriteLength } }
  const run = (tx: Tx): Undone => undoTransaction(ctx, tx, caller, transaction)
  try {
    return await writeUnlessDry(db, run, { isDryRun, isLong: true })
  } catch (error) {
    if (error instanceof TooLongForMainThread) return undefined
    throw error
  }
}

function isLarge(reader: Reader, { workspacePk }: Caller, transaction: string): boolean {
  const first = findPosition(reader, workspacePk, transaction)
  if (first === undefined) return false
  const limit = MAX_CHANGES_IN_MAIN_THREAD + 1
  const ahead = selectAfter(reader, workspacePk, { after: first - 1, upTo: first + limit, limit })
  if (sizeOf(reader, ahead).bytes > MAX_BYTES_READ_AHEAD) return true
  const changes = changesOfTransaction(reader, workspacePk, first, limit)
  if (changes.length > MAX_CHANGES_IN_MAIN_THREAD) return true
  return noteBytes(reader, changes) + replacedBytes(reader, changes) > MAX_BYTES_IN_MAIN_THREAD
}

/** How much text the changes replaced: that of notes is in revisions, everything else is in the log. */
function replacedBytes({ sql }: Reader, changes: readonly Change[]): number {
  const ofNotes = changes.filter(({ kind }) => kind === 'note')
  const logged = changes.reduce((sum, { detail }) => sum + (detail?.length ?? 0), 0)
  return (
    logged +
    sql.scalar<number>(
      'SELECT total(octet_length(content)) FROM revisions WHERE pk IN (SELECT value FROM json_each(?))',
      JSON.stringify(ofNotes.flatMap(({ replaced }) => replaced ?? [])),
    )
  )
}

interface UndoInput {
  readonly caller: Caller
  readonly transaction: string
  readonly isDryRun: boolean
}

/** Stages bodies that come back, before other writes wait. */
export const undoPreparation: WorkerTask<UndoInput, void> = {
  name: 'changes.prepareUndo',
  isPreparation: true,
  thread: 'texts',
  run: (reader, { caller, transaction }) => prepareUndo(reader, caller, transaction),
}

/** The same in a worker, while other writes wait. */
export const undoTask = (features: AppContext['features']): WorkerTask<UndoInput, Undone> => ({
  name: 'changes.undo',
  thread: 'texts',
  run: (reader, { caller, transaction, isDryRun }, now) => {
    const { sql } = reader
    // The main thread notifies the listeners.
    const ctx = { bus: createBus(), features }
    sql.run('SAVEPOINT undo')
    const undone = undoTransaction(ctx, taskTransaction(reader, now), caller, transaction)
    if (isDryRun) sql.run('ROLLBACK TO undo')
    sql.run('RELEASE undo')
    return isDryRun ? { ...undone, transaction: null } : undone
  },
})
