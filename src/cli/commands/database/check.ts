import { fail, refused } from '../../../lib/refusal.ts'
import { takeServerLock } from '../../../storage/connection/server-lock.ts'
import { type Command, DB_FLAG, flag } from '../../command.ts'
import { withDatabase } from '../../open-database.ts'

const serverRuns = () =>
  refused('A server is running on this database; stop it before you repair, or check without --repair.')

export const check: Command = {
  name: 'check',
  summary: 'Check the integrity of the database and of its derived data.',
  flags: [flag('--repair', 'first rebuild all derived data; not while a server runs'), DB_FLAG],
  remarks: [
    'Prints "ok", or one line for each fault and exits 1. Search tables, links and counters are derived from notes and',
    'records and can be rebuilt. Damage to the file itself cannot be repaired: restore a backup. Temporary files take as',
    'much room as the largest search table; the variable SQLITE_TMPDIR names their folder.',
  ],
  examples: ['daybook check', 'daybook check --repair --db /srv/daybook.db'],
  run: (input, io) => {
    io.yieldProcessor()
    return withDatabase(input, io, async (db) => {
      const { findFaults, repairDerived } = await import('../../../operation/integrity.ts')
      if (input.flags.repair) {
        const lock = takeServerLock(db.file) ?? fail(serverRuns())
        await repairDerived(db).finally(lock.release)
      }
      const faults = findFaults(db)
      io.out(`${faults.join('\n') || 'ok'}\n`)
      return faults.length === 0 ? 0 : 1
    })
  },
}
