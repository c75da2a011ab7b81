import { Database } from 'bun:sqlite'
import { afterEach, beforeEach } from 'bun:test'
import { copyFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { runInProcess } from './cli.ts'
import { newFolder } from './process.ts'

/** A backup, and a database that has changed since. The users in each tell the two states apart. */
export interface BackedUp {
  readonly folder: ReturnType<typeof newFolder>
  readonly db: string
  readonly backup: string
}

export const BEFORE = ['owner', 'early', 'late'].sort()
export const RESTORED = ['owner', 'early'].sort()

export const addUser = (name: string, file: string) => runInProcess(['users', 'add', name, '--db', file])

export async function usersOf(file: string): Promise<string[]> {
  const { out } = await runInProcess(['users', 'list', '--json', '--db', file])
  return JSON.parse(out).users.map(({ name }: { name: string }) => name)
}

/** Both files and the lock of the database, by name; they are made once for all tests of a process. */
let stored: Promise<ReadonlyMap<string, Uint8Array>> | undefined

async function makeBoth(): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = newFolder()
  const [db, backup] = [folder.file('daybook.db'), folder.file('backup.db')]
  await runInProcess(['serve', '--port', '0', '--log-level', 'silent', '--db', db])
  await addUser('early', db)
  await runInProcess(['backup', backup, '--db', db])
  await addUser('late', db)
  const files = readdirSync(folder.path).map((name) => [name, readFileSync(folder.file(name))] as const)
  folder.remove()
  return new Map(files)
}

/** Creates both before each test of a file, and removes them after it. */
export function backedUpForEach(): BackedUp {
  let folder: ReturnType<typeof newFolder>
  const made: BackedUp = {
    get folder() {
      return folder
    },
    get db() {
      return folder.file('daybook.db')
    },
    get backup() {
      return folder.file('backup.db')
    },
  }
  beforeEach(async () => {
    stored ??= makeBoth()
    const files = await stored
    folder = newFolder()
    for (const [name, bytes] of files) writeFileSync(folder.file(name), bytes, { mode: 0o600 })
  })
  afterEach(() => folder.remove())
  return made
}

/** Leaves the database as a crash does: with a WAL that holds the newest writes. */
export function crash({ db, folder }: BackedUp): void {
  const database = new Database(db)
  database.run('PRAGMA journal_mode = WAL')
  database.run("UPDATE users SET name = 'in the log' WHERE name = 'late'")
  for (const suffix of ['', '-wal']) copyFileSync(db + suffix, folder.file(`crashed${suffix}`))
  database.close()
  for (const suffix of ['', '-wal']) renameSync(folder.file(`crashed${suffix}`), db + suffix)
}
