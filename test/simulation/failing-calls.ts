/*
 * Runs in a process of its own. Fails the n-th call of the system that writes, syncs, truncates, links, renames or
 * removes a file, for n = 1, 2, 3 … until an operation succeeds without reaching it. Prints one line of JSON for each n.
 */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'

// Imported modules take the functions as they are at the first import.
const fs: typeof import('node:fs') = require('node:fs')

const CALLS = [
  'fsyncSync',
  'ftruncateSync',
  'copyFileSync',
  'linkSync',
  'renameSync',
  'openSync',
  'rmSync',
] as const

let left = Number.POSITIVE_INFINITY
let failed = ''
for (const name of CALLS) {
  const call = fs[name] as (...values: unknown[]) => unknown
  const failing = (...values: unknown[]) => {
    left -= 1
    if (left !== 0) return call(...values)
    failed = name
    throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO', syscall: name, errno: -5 })
  }
  Object.assign(fs, { [name]: failing })
}

/** How an operation ended: `refused` with a sentence for the operator. */
type Ending = 'done' | 'refused' | string

const { restoreDatabase } = await import('../../src/storage/connection/restore.ts')
const { copyVerified } = await import('../../src/storage/copy.ts')
const { openWritingConnection } = await import('../../src/storage/connection/open.ts')
const { asUnusable, UnusableDatabase } = await import('../../src/storage/errors.ts')
const { systemClock } = await import('../../src/lib/clock.ts')
const { createLog } = await import('../../src/lib/log.ts')

const [operation = '', source = '', backup = '', folder = ''] = process.argv.slice(2)

const OPERATIONS: Readonly<Record<string, (file: string) => void>> = {
  restore: (file) => void restoreDatabase(backup, file),
  copy: (file) => {
    const database = new Database(file, { readonly: true })
    try {
      copyVerified(database, `${file}.copy`)
    } finally {
      database.close()
    }
  },
  upgrade: (file) =>
    openWritingConnection({
      file,
      programVersion: '9.9.9',
      clock: systemClock,
      log: createLog('silent', systemClock, () => {}),
      role: 'command',
    }).close(),
}

function endingOf(run: () => void): Ending {
  try {
    run()
    return 'done'
  } catch (error) {
    return asUnusable(error, 'daybook.db') instanceof UnusableDatabase
      ? 'refused'
      : `${(error as Error).name}: ${(error as Error).message}`
  }
}

/** The users of a whole database, or its damage. */
function contentOf(file: string): string {
  const database = new Database(file, { readonly: true })
  try {
    const [[verdict]] = database.query('PRAGMA integrity_check').values() as [[string]]
    const names = database.query('SELECT name FROM users ORDER BY name').values().flat()
    return verdict === 'ok' ? names.join() : verdict
  } finally {
    database.close()
  }
}

for (let n = 1; ; n++) {
  const at = join(folder, String(n))
  fs.mkdirSync(at)
  const file = join(at, 'daybook.db')
  fs.writeFileSync(file, fs.readFileSync(source))
  failed = ''
  left = n
  const ending = endingOf(() => OPERATIONS[operation]?.(file))
  left = Number.POSITIVE_INFINITY
  const again = endingOf(() => OPERATIONS[operation]?.(file))
  process.stdout.write(`${JSON.stringify({ n, failed, ending, content: contentOf(file), again })}\n`)
  if (failed === '') break
}
