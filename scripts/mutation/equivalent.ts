/** A mutant that no test can notice. */
export interface Equivalent {
  readonly path: string
  /** The line of the source, without its indentation. */
  readonly line: string
  /** The mutated text and its replacement, as the script prints them. */
  readonly change: string
  readonly reason: string
}

const QUEUE = 'src/storage/writes/write-queue.ts'
const GROUPS = 'src/storage/writes/transaction.ts'

export const EQUIVALENT: readonly Equivalent[] = [
  {
    path: 'src/storage/connection/health.ts',
    line: "const CALLS: DiskCalls = process.platform === 'linux' ? fs : { fdatasync: fs.fsync }",
    change: "process.platform === 'linux' → false",
    reason: 'On Linux fsync syncs all that fdatasync does, and the times of the file.',
  },
  {
    path: GROUPS,
    line: "if (!isFirst) this.#sql.run('SAVEPOINT write_item')",
    change: '!isFirst → true',
    reason: 'A savepoint of the first write costs time; the rollback or commit of the transaction ends it.',
  },
  {
    path: QUEUE,
    line: '#recentWrites = 0',
    change: '0 → (0 + 1)',
    reason: 'A group holds one write at least, so it expects no more with 0 or 1 recent ones.',
  },
  {
    path: QUEUE,
    line: 'else this.#settle(group)',
    change: 'this.#settle(group) → ;',
    reason: 'A write that was queued while the group was open has scheduled its own run, which follows.',
  },
  {
    path: QUEUE,
    line: 'if (!this.#queue.isEmpty) this.#schedule()',
    change: '!this.#queue.isEmpty → true',
    reason: 'A run with an empty queue returns at once.',
  },
]
