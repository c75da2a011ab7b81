import { createBus } from '../../changes/bus.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { TooLongForMainThread, type WorkerTask } from '../../db/worker/client.ts'
import type { LongText } from '../../db/worker/protocol.ts'
import { writeUnlessDry } from '../../db/writes/dry-run.ts'
import { taskTransaction } from '../../db/writes/task-transaction.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { Refusal } from '../../refusal.ts'
import { prepareFolded } from '../../structures/storage/folded-texts.ts'
import { discardPrepared } from './long-row.ts'
import type { WriteContext } from './row-writer.ts'

/*
 * A write of records runs on the main thread if it is short, as almost all are. One of many or very long rows is begun
 * again in a worker, or goes there at once where the request is that long; other requests are served meanwhile.
 */

/** A write of records that may be long; it must be listed in `worker-on-demand.ts`. */
export interface RecordWrite<Input, Result, Output, Sent = Input> {
  readonly name: string
  /** Makes the input from what the worker is sent, and a text that may be long; without it they are the same. */
  receive?(sent: Sent, text: LongText): Input
  /** Does in a worker, before other writes wait, what `run` need not do again. Refusals are those of `run`. */
  prepare?(reader: Reader, caller: Caller, input: Input): void
  run(ctx: WriteContext, tx: Tx, caller: Caller, input: Input): Result
  /** What the caller gets to see, of which the worker sends nothing else. */
  present(result: Result, input: Input): Output
}

interface Choice<Sent> {
  /** What the worker is sent; a long text beside it, so that it is not copied. */
  readonly sent: Sent
  readonly text?: LongText
  /** Whether it takes so long that short writes should not wait for many of them. */
  readonly isLong?: boolean
  readonly isDryRun?: boolean
}

/** Runs a write of records, whole or not at all, where it delays others least. With `isDryRun` nothing is written. */
export async function writeWhereShort<Input, Result, Output, Sent>(
  ctx: AppContext,
  caller: Caller,
  write: RecordWrite<Input, Result, Output, Sent>,
  input: () => Input,
  choice: Choice<Sent>,
): Promise<Output> {
  const short = await writeShort(ctx, caller, write, input, choice)
  if (short) return short.output
  const { sent, text, isDryRun = false } = choice
  const { signal: _, ...author } = caller
  const output = await ctx.worker.write(taskOf(write), { caller: author, sent, isDryRun }, text)
  if (!isDryRun) ctx.bus.wake()
  return output
}

/** On the main thread; undefined if it is too long, and then nothing is written. */
async function writeShort<Input, Result, Output, Sent>(
  ctx: AppContext,
  caller: Caller,
  write: RecordWrite<Input, Result, Output, Sent>,
  makeInput: () => Input,
  { text, isLong, isDryRun }: Choice<Sent>,
): Promise<{ readonly output: Output } | undefined> {
  const { bus, db, worker } = ctx
  const left = worker.maxWriteLength
  if (text !== undefined && text.length > left) return undefined
  const input = makeInput()
  const run = (tx: Tx) => write.run({ bus, budget: { left } }, tx, caller, input)
  try {
    const result = await writeUnlessDry(db, run, { isDryRun, isLong })
    return { output: write.present(result, input) }
  } catch (error) {
    if (error instanceof TooLongForMainThread) return undefined
    throw error
  }
}

interface TaskInput<Sent> {
  readonly caller: Caller
  readonly sent: Sent
  readonly isDryRun: boolean
}

function undone<Result>({ sql }: Reader, write: () => Result): Result {
  sql.run('SAVEPOINT dry_run')
  const result = write()
  sql.run('ROLLBACK TO dry_run')
  sql.run('RELEASE dry_run')
  return result
}

/** The same in a worker, while other writes wait. */
export const taskOf = <Input, Result, Output, Sent>({
  name,
  receive,
  prepare,
  run,
  present,
}: RecordWrite<Input, Result, Output, Sent>): WorkerTask<
  TaskInput<Sent>,
  Output,
  TaskInput<Input>,
  Result
> => ({
  name,
  thread: 'records',
  prepare: ({ caller, sent, isDryRun }, text, reader) => {
    const input = receive ? receive(sent, text) : (sent as unknown as Input)
    discardPrepared()
    prepareFolded(input)
    ignoringRefusals(() => prepare?.(reader, caller, input))
    return { caller, isDryRun, sent: input }
  },
  run: (reader, { caller, sent: input, isDryRun }, now) => {
    // The main thread notifies the listeners.
    const write = () => run({ bus: createBus() }, taskTransaction(reader, now), caller, input)
    try {
      return isDryRun ? undone(reader, write) : write()
    } finally {
      discardPrepared()
    }
  },
  present: (result, { sent: input }) => present(result, input),
})

function ignoringRefusals(action: () => void): void {
  try {
    action()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

/** What came beside what was sent. */
export const receivedText = (text: LongText): string =>
  typeof text === 'string' ? text : new TextDecoder().decode(text)
