import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { AppContext } from '../../context.ts'

/** The beginning of the paths of temporary folders for copies of this database, on its disk. */
export const temporaryPrefix = (db: string): string => join(dirname(db), `.backup-${basename(db)}-`)

/**
 * Removes copies that a killed server of this database left behind. Only the process that holds the database lock may
 * call this.
 */
export function removeLeftCopies({ config: { db }, log }: Pick<AppContext, 'config' | 'log'>): void {
  const prefix = basename(temporaryPrefix(db))
  const isLeft = (name: string) => name.startsWith(prefix) && /^\w{6}$/.test(name.slice(prefix.length))
  try {
    for (const name of readdirSync(dirname(db)).filter(isLeft))
      rmSync(join(dirname(db), name), { recursive: true, force: true })
  } catch (error) {
    log.warn('copies left by an earlier server could not be removed', { error: String(error) })
  }
}
