import { statSync } from 'node:fs'
import { asSystemError, UnusableDatabase } from '../errors.ts'

/** The database path of the packages and the systemd unit. */
const OF_SERVICE = '/var/lib/daybook/daybook.db'

/** Whether the path is a file, or is in a folder that this user cannot read. */
function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return asSystemError(error)?.code === 'EACCES'
  }
}

/** The error of a command that needs a database where there is none, usually because another path was meant. */
export const noDatabase = (file: string, ofService = OF_SERVICE): UnusableDatabase =>
  new UnusableDatabase(
    file !== ofService && mayExist(ofService)
      ? `There is no database at ${file}; name it with --db. The service keeps its database in ${ofService}.`
      : `There is no database at ${file}; name it with --db, or create a new one with "daybook serve".`,
  )
