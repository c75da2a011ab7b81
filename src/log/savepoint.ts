import type { Tx } from '../storage/writes/transaction.ts'
import { newOpenLogs, type OpenLog } from './log.ts'

/** Returns a function that resets the numbers and authors of the transaction, for a rollback to a savepoint set now. */
export function logSavepoint({ transaction }: Tx): () => void {
  const logs = transaction.state.of(newOpenLogs)
  const before = Array.from(logs, ([workspace, log]): [number, OpenLog] => [
    workspace,
    { ...log, numbers: log.numbers && { ...log.numbers } },
  ])
  return () => {
    logs.clear()
    for (const [workspace, log] of before) logs.set(workspace, log)
  }
}
