import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * Bugs that this service once had, or could have again, as small changes of its sources. Each must make the simulation
 * fail; `bun run simulate:bugs` shows that.
 */

export interface Bug {
  readonly name: string
  readonly path: string
  readonly from: string
  readonly to: string
}

export const BUGS: readonly Bug[] = [
  {
    name: 'writes are acknowledged before they are synced',
    path: 'src/storage/database.ts',
    from: "    reach('committed')\n    return walSync.run()",
    to: "    reach('committed')\n    void walSync.run().catch(() => {})\n    return Promise.resolve()",
  },
  {
    name: 'after a failed sync, a later one acknowledges its writes',
    path: 'src/storage/connection/health.ts',
    from: '    if (failure && !this.#hasFailed) {',
    to: '    if (failure) throw unavailable(NOT_CONFIRMED)\n    if (failure && !this.#hasFailed) {',
  },
  {
    name: 'reads see commits that are not synced',
    path: 'src/storage/database.ts',
    from: '    reading?.hold()\n',
    to: '    reading?.leave()\n',
  },
  {
    name: 'a refusal is sent before the write on which it rests is synced',
    path: 'src/storage/writes/transaction.ts',
    from: 'else this.#refused.push({ item, error })',
    to: 'else item.reject(error)',
  },
  {
    name: 'the rows before a refused row of a batch stay',
    path: 'src/storage/writes/transaction.ts',
    from: "      this.#sql.run(isFirst ? 'ROLLBACK' : 'ROLLBACK TO write_item')",
    to: "      if (isFirst) this.#sql.run('ROLLBACK')",
  },
  {
    name: 'an event of an ordered subscription overtakes a failed one',
    path: 'src/log/ordered.ts',
    from: "'pending', iif(is_blocked, 2, 0), iif(is_blocked, NULL, ?5), ?5",
    to: "'pending', 0, ?5, ?5",
  },
  {
    name: 'the runner of jobs does not look again',
    path: 'src/kernel/job-runner.ts',
    from: '      this.#running = undefined\n      this.#lookIn(waitMs)',
    to: '      this.#running = undefined\n      if (waitMs < 0) this.#lookIn(waitMs)',
  },
  {
    name: 'a repeated request with an Idempotency-Key writes again',
    path: 'src/kernel/once.ts',
    from: '  if (!found) {',
    to: '  if (!found || found.bodyHash === bodyHash) {',
  },
  {
    name: 'an undo leaves out an object',
    path: 'src/feed/undo.ts',
    from: '  const others = objects.filter(({ id }) => !undone.has(id)).toReversed()',
    to: '  const others = objects.filter(({ id }) => !undone.has(id)).toReversed().slice(1)',
  },
  {
    name: 'an acknowledgement also ends the next pulled event',
    path: 'src/log/pulled.ts',
    from: 'done_to = max(done_to, ?2) WHERE pk = ?1`',
    to: 'done_to = max(done_to, ?2 + 1) WHERE pk = ?1`',
  },
  {
    name: 'the outcome of a delivery is saved before the attempt',
    path: 'src/events/delivery/dispatch/dispatcher.ts',
    from: '    const outcome = request ? await send(request) : CALL_GONE',
    to: '    if (request) void send(request)\n    const outcome: AttemptOutcome = { status: 200, error: null }',
  },
  {
    name: 'a total is not counted again after a write',
    path: 'src/records/rows/query/total-cache.ts',
    from: '  if (counted === undefined || counted.changes === key.changes) return counted?.total',
    to: '  if (counted === undefined || key.changes >= 0) return counted?.total',
  },
  {
    name: 'a search misses notes that are not indexed yet',
    path: 'src/notes/search/unindexed.ts',
    from: '  if (pks.length === 0) return NONE',
    to: '  if (pks.length >= 0) return NONE',
  },
  {
    name: 'a repeated event of a source is written again',
    path: 'src/events/sources/receive.ts',
    from: '    if (known && REPEATED.has(known.status)) {',
    to: '    if (known && REPEATED.size === 0) {',
  },
]

/** Adds a bug to a copy of the repository; returns a function that removes it. */
export function reintroduce(folder: string, { path, from, to }: Bug): () => void {
  const file = join(folder, path)
  const text = readFileSync(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${path} no longer contains ${JSON.stringify(from)}`)
  writeFileSync(
    file,
    text.replace(from, () => to),
  )
  return () => writeFileSync(file, text)
}
