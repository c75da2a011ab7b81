import { statSync } from 'node:fs'
import { asSystemError, UnusableDatabase } from '../errors.ts'

/** Where the packages and the systemd unit keep the database of the service. */
const OF_SERVICE = '/var/lib/daybook/daybook.db'

/** Whether there is a file, or a folder that only its owner can look into. */
function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return asSystemError(error)?.code === 'EACCES'
  }
}

/** The error of a command that needs a database where there is none: people mostly mean another one. */
export const noDatabase = (file: string, ofService = OF_SERVICE): UnusableDatabase =>
  new UnusableDatabase(
    file !== ofService && mayExist(ofService)
      ? `There is no database at ${file}; name it with --db. The service keeps its database in ${ofService}.`
      : `There is no database at ${file}; name it with --db, or create a new one with "daybook serve".`,
  )
