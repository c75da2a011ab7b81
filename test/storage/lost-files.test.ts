import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createLog } from '../../src/lib/log.ts'
import type { DiskCalls } from '../../src/storage/connection/health.ts'
import { type Db, openDatabase } from '../../src/storage/database.ts'
import { newFolder } from '../support/process.ts'
import { settle, testClock } from '../support/service.ts'
import { until } from '../support/webhooks.ts'

/* The files of an open database, which another process may remove or replace. Kills are tested in `test/cli`. */

let folder: ReturnType<typeof newFolder>
let file: string
let logged: string[]

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
  logged = []
})

afterEach(() => {
  jest.useRealTimers()
  folder.remove()
})

function openServer(options: { disk?: DiskCalls } = {}): Db {
  const clock = testClock()
  const log = createLog('error', clock, (lines) => logged.push(lines))
  return openDatabase({ file, programVersion: '0.0.0', clock, log, role: 'server', ...options })
}

const POLL_MS = 250

test.each([
  ['', 'database'],
  ['-wal', 'write-ahead log'],
  ['-shm', 'index of the write-ahead log'],
])('notices within a quarter of a second that the file with the suffix "%s" is gone', (suffix, name) => {
  jest.useFakeTimers()
  const db = openServer()
  let ends = 0
  db.onLost(() => {
    ends += 1
  })
  jest.advanceTimersByTime(POLL_MS)
  expect([ends, db.problem]).toEqual([0, undefined])
  rmSync(`${file}${suffix}`)
  jest.advanceTimersByTime(POLL_MS)
  expect([ends, db.problem?.code]).toEqual([1, 'unavailable'])
  jest.advanceTimersByTime(POLL_MS * 4)
  expect(ends).toBe(1)
  expect(logged.join('')).toContain(`"lost":"${name}"`)
  db.close()
})

test.each(['', '-wal'])(
  'refuses the next write once the file with the suffix "%s" is gone',
  async (suffix) => {
    const db = openServer()
    await db.write(({ sql }): void => sql.script('CREATE TABLE lines (text TEXT)'))
    rmSync(`${file}${suffix}`)
    if (suffix === '') writeFileSync(file, '')
    await expect(db.write(({ sql }): void => sql.script('DELETE FROM lines'))).rejects.toThrow(
      'was replaced or removed while the server ran',
    )
    await expect(db.write(({ sql }): void => sql.script('DELETE FROM lines'))).rejects.toThrow(
      'was replaced or removed while the server ran',
    )
    db.close()
  },
)

test('a closed database no longer watches its files', () => {
  jest.useFakeTimers()
  const db = openServer()
  db.close()
  folder.remove()
  jest.advanceTimersByTime(POLL_MS * 4)
  expect(logged).toEqual([])
})

/** The open files of this process in the folder of the test. */
function openFiles(): string[] {
  const descriptors = readdirSync('/proc/self/fd')
  const paths = descriptors.flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)]
    } catch {
      return []
    }
  })
  return paths.filter((path) => path.startsWith(file))
}

test.skipIf(process.platform !== 'linux')('closing a database closes its files', async () => {
  const db = openServer()
  await db.write(({ sql }): void => sql.script('CREATE TABLE lines (text TEXT)'))
  expect(openFiles().length).toBeGreaterThan(0)
  db.close()
  expect(openFiles()).toEqual([])
})

test.skipIf(process.platform !== 'linux')(
  'the log that is being synced is closed after the sync',
  async () => {
    const waiting: ((error: Error | null) => void)[] = []
    let isHeld = false
    const fdatasync = ((_: number, done: (error: Error | null) => void) => {
      if (isHeld) waiting.push(done)
      else done(null)
    }) as DiskCalls['fdatasync']
    const db = openServer({ disk: { fdatasync } })
    await db.write(({ sql }): void => sql.script('CREATE TABLE lines (text TEXT)'))
    isHeld = true
    const refused = db.write(({ sql }): void => sql.script('DELETE FROM lines')).catch(() => 'refused')
    await until(() => waiting.length === 1)
    db.close()
    expect(await refused).toBe('refused')
    expect(openFiles()).toEqual([expect.stringContaining('-wal')])
    waiting[0]?.(null)
    await settle()
    expect(openFiles()).toEqual([])
  },
)
