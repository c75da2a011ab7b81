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

const THREAD = 'src/kernel/thread.ts'
const BURSTS = 'src/kernel/fair-share.ts'

const SPEED = 'It changes only when work runs, or its speed or memory, by little, and no result.'
const INSTANT = 'Nothing depends on the side to which an instant that equals the limit belongs.'
const CACHE = 'One entry more of a bounded cache changes no result.'
const OWN = 'The own credential of a server has every permission, so its requirements are not read.'

export const EQUIVALENT: readonly Equivalent[] = [
  { path: 'src/kernel/call.ts', line: 'needsWrite: true,', change: 'true → false', reason: OWN },
  { path: 'src/kernel/call.ts', line: 'needsOwner: false,', change: 'false → true', reason: OWN },
  { path: 'src/kernel/call.ts', line: 'isNamed: false,', change: 'false → true', reason: OWN },
  {
    path: 'src/kernel/caller.ts',
    line: 'stored === null ? null : (JSON.parse(stored) as Access)',
    change: 'stored === null → false',
    reason: 'JSON.parse(null) is null.',
  },
  {
    path: 'src/filter/record/type-inference.ts',
    line: 'for (let at = 0; at < cells.length; at++) {',
    change: '< → <=',
    reason: 'A cell beyond the end of a row is undefined, and is skipped.',
  },
  {
    path: 'src/filter/record/sql.ts',
    line: 'if (values.length <= FEW_VALUES) {',
    change: '<= → <',
    reason: 'Both statements find the same rows; one is faster for few values.',
  },
  {
    path: 'src/kernel/job-runner.ts',
    line: 'if (steps % STEPS_BETWEEN_PAUSES === 0 || !this.#isIdle()) await pauseForOthers()',
    change: 'steps % STEPS_BETWEEN_PAUSES === 0 || !this.#isIdle() → true',
    reason: 'More pauses delay jobs by milliseconds, and change no result.',
  },
  {
    path: 'src/kernel/job-runner.ts',
    line: 'if (steps % STEPS_BETWEEN_PAUSES === 0 || !this.#isIdle()) await pauseForOthers()',
    change: '0 → (0 + 1)',
    reason: SPEED,
  },
  {
    path: 'src/kernel/job-steps.ts',
    line: 'if (steps % STEPS_BETWEEN_PAUSES === 0) await pauseBetween(place.db)',
    change: '0 → (0 + 1)',
    reason: SPEED,
  },
  {
    path: 'src/kernel/job-steps.ts',
    line: 'if (steps % STEPS_BETWEEN_PAUSES === 0) await pauseBetween(place.db)',
    change: 'steps % STEPS_BETWEEN_PAUSES === 0 → true',
    reason: SPEED,
  },
  {
    path: 'src/kernel/job-steps.ts',
    line: 'export const STEPS_BETWEEN_PAUSES = 5',
    change: '5 → (5 + 1)',
    reason: SPEED,
  },
  {
    path: 'src/kernel/job-steps.ts',
    line: 'for (let steps = 1; await runOnce(place, job as Job, key, all, turn); steps++)',
    change: '1 → (1 + 1)',
    reason: SPEED,
  },
  {
    path: 'src/kernel/job-runner.ts',
    line: 'for (let steps = 1; ; steps++) {',
    change: '1 → (1 + 1)',
    reason: SPEED,
  },
  {
    path: 'src/http/authorizer.ts',
    line: 'const MAX_ADDRESSES = 10_000',
    change: '10_000 → (10000 + 1)',
    reason: CACHE,
  },
  {
    path: 'src/http/authorizer.ts',
    line: 'const MAX_KEYS = 10_000',
    change: '10_000 → (10000 + 1)',
    reason: CACHE,
  },
  {
    path: 'src/kernel/call.ts',
    line: 'const LONG_BODY = 16_384',
    change: '16_384 → (16384 + 1)',
    reason: SPEED,
  },
  { path: 'src/kernel/call.ts', line: 'isLong: length > LONG_BODY,', change: '> → >=', reason: SPEED },
  {
    path: 'src/kernel/jobs.ts',
    line: 'const MAX_COUNTED = 10_000',
    change: '10_000 → (10000 + 1)',
    reason: SPEED,
  },
  {
    path: 'src/kernel/fair-share.ts',
    line: 'export const LONG_TEXT = 500_000',
    change: '500_000 → (500000 + 1)',
    reason: SPEED,
  },
  {
    path: 'src/kernel/statistics.ts',
    line: 'const MAX_ENTRIES = 1_000',
    change: '1_000 → (1000 + 1)',
    reason: SPEED,
  },
  {
    path: 'src/kernel/statistics.ts',
    line: 'const FEW_PAGES = 4_000',
    change: '4_000 → (4000 + 1)',
    reason: SPEED,
  },
  {
    path: 'src/kernel/file-write.ts',
    line: '{ grant, isBackground = false }: Credential,',
    change: 'false → true',
    reason: SPEED,
  },
  {
    path: BURSTS,
    line: 'until = systemClock.monotonicMs() + SLICE_MS',
    change: '+ → -',
    reason: SPEED,
  },
  {
    path: BURSTS,
    line: 'if (waitMs > 0) setTimeout(() => this.#begin(), waitMs)',
    change: '0 → (0 + 1)',
    reason: SPEED,
  },
  {
    path: 'src/kernel/job-runner.ts',
    line: 'if (waitMs > 0 && this.#timer && this.#timer.at <= at) return',
    change: '0 → (0 + 1)',
    reason: 'A wait of one millisecond replaces a timer that may be due up to a millisecond before.',
  },
  {
    path: 'src/kernel/repeated.ts',
    line: 'if (!isFirst) await pauseForOthers()',
    change: '!isFirst → true',
    reason: SPEED,
  },
  {
    path: 'src/kernel/fair-share.ts',
    line: 'let until = systemClock.monotonicMs() + SLICE_MS',
    change: '+ → -',
    reason: 'The first item lets other requests run before it; the result is the same.',
  },
  {
    path: THREAD,
    line: 'clearTimeout(this.#idleTimer)',
    change: 'clearTimeout(this.#idleTimer) → ;',
    reason: SPEED,
  },
  {
    path: THREAD,
    line: "else if (kind === 'open') this.#open(request)",
    change: 'this.#open(request) → ;',
    reason: SPEED,
  },
  {
    path: THREAD,
    line: 'if (!this.#isLowered && !this.options.isSimulated) lowerThreadPriority()',
    change: '!this.#isLowered && !this.options.isSimulated → true',
    reason: SPEED,
  },
  {
    path: THREAD,
    line: 'if (!this.#isLowered && !this.options.isSimulated) lowerThreadPriority()',
    change: '&& → ||',
    reason: SPEED,
  },
  { path: THREAD, line: 'this.#isLowered = true', change: 'true → false', reason: SPEED },
  {
    path: THREAD,
    line: 'if (!this.options.isSimulated) Bun.gc(true)',
    change: '!this.options.isSimulated → true',
    reason: SPEED,
  },
  {
    path: THREAD,
    line: 'if (!this.options.isSimulated) Bun.gc(true)',
    change: 'true → false',
    reason: SPEED,
  },
  {
    path: BURSTS,
    line: 'if (this.#queue.isEmpty) this.#scheduleSlice()',
    change: 'this.#queue.isEmpty → true',
    reason: SPEED,
  },
  {
    path: BURSTS,
    line: 'if (this.#workedMs > SHORT_MS) this.#awaitEndOfTurn()',
    change: 'this.#workedMs > SHORT_MS → true',
    reason: SPEED,
  },
  {
    path: BURSTS,
    line: 'if (this.#workedMs > SHORT_MS) this.#awaitEndOfTurn()',
    change: '> → >=',
    reason: SPEED,
  },
  {
    path: BURSTS,
    line: 'if (this.#isEndAwaited) return',
    change: 'this.#isEndAwaited → false',
    reason: SPEED,
  },
  { path: BURSTS, line: 'this.#isEndAwaited = true', change: 'true → false', reason: SPEED },
  {
    path: BURSTS,
    line: 'if (startedAt - this.#endedAt > APART_MS) this.#workedMs = 0',
    change: '> → >=',
    reason: INSTANT,
  },
  {
    path: 'src/events/delivery/dispatch/delivery-schedule.ts',
    line: 'if (ready.size === 0 && inFlight === 0) this.#workspaces.delete(workspace)',
    change: 'this.#workspaces.delete(workspace) → ;',
    reason: 'It frees memory: an idle workspace is scheduled as a new one is.',
  },
  {
    path: 'src/events/delivery/dispatch/retry-delays.ts',
    line: 'if (late.length > 0) {',
    change: 'late.length > 0 → true',
    reason: SPEED,
  },
  {
    path: 'src/events/delivery/dispatch/dispatcher.ts',
    line: 'const wasSetBack = now < this.#lastNow - CLOCK_TOLERANCE_MS',
    change: '< → <=',
    reason: 'A clock that was set back by exactly the tolerance may count as set back or not.',
  },
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
    line: 'if (!this.#queue.isEmpty) this.#schedule()',
    change: '!this.#queue.isEmpty → true',
    reason: 'A run with an empty queue returns at once.',
  },
]
