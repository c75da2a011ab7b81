import { takeServerLock } from '../../../db/connection/server-lock.ts'
import type { Db } from '../../../db/database.ts'
import { fail, refused } from '../../../refusal.ts'
import { type Command, DB_FLAG } from '../../command.ts'
import type { Io } from '../../io.ts'
import { withDatabase } from '../../open-database.ts'

const serverRuns = () =>
  refused('A server is running on this database; stop it before you repair, or check without --repair.')

const maintenance = () => import('../../../maintenance/integrity.ts')

async function report(db: Db, io: Io): Promise<number> {
  const { findFaults } = await maintenance()
  const faults = findFaults(db)
  for (const fault of faults) io.out(`${fault}\n`)
  if (faults.length === 0) io.out('ok\n')
  return faults.length === 0 ? 0 : 1
}

async function repair(db: Db): Promise<void> {
  const lock = takeServerLock(db.file) ?? fail(serverRuns())
  try {
    const { repairDerived } = await maintenance()
    await repairDerived(db)
  } finally {
    lock.release()
  }
}

export const check: Command = {
  name: 'check',
  summary: 'Check the integrity of the database and of its derived data.',
  flags: [{ name: 'repair', help: 'first rebuild all derived data; not while a server runs' }, DB_FLAG],
  remarks: [
    'Prints "ok", or one line for each fault and exits 1. Search tables, links and counters are derived from notes and',
    'records and can be rebuilt. Damage to the file itself cannot be repaired: restore a backup.',
  ],
  examples: ['daybook check', 'daybook check --repair --db /srv/daybook.db'],
  run: (input, io) => {
    io.yieldProcessor()
    return withDatabase(input, io, async (db) => {
      if (input.flags.repair) await repair(db)
      return report(db, io)
    })
  },
}
