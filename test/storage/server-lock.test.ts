import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync, statSync, symlinkSync } from 'node:fs'
import { takeServerLock } from '../../src/storage/connection/server-lock.ts'
import { newFolder, startProcess } from '../support/process.ts'

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

test('the lock is held once, until it is released', () => {
  const lock = takeServerLock(file)
  expect(takeServerLock(file)).toBeUndefined()
  lock?.release()
  const again = takeServerLock(file)
  expect(again).toBeDefined()
  again?.release()
})

test('a link that was there before the file leads to the same lock as before', async () => {
  const [near, far] = [folder.file('near.db'), folder.file('far.db')]
  symlinkSync('far.db', near)
  symlinkSync(file, far)
  const lock = takeServerLock(near)
  await Bun.write(file, '')
  for (const name of [near, far, file]) expect(takeServerLock(name)).toBeUndefined()
  lock?.release()
})

test('circular links give a separate lock file, not an endless search', () => {
  const other = folder.file('other.db')
  symlinkSync(file, other)
  symlinkSync(other, file)
  const lock = takeServerLock(file)
  expect(lock).toBeDefined()
  lock?.release()
})

/** The system releases all of a process's locks on a file when the process closes any descriptor of it. */
test.if(process.platform === 'linux')(
  'a server keeps the lock from which any program with SQLite knows that the database is open',
  async () => {
    const server = await startProcess(file)
    const looks = () => readFileSync(`/proc/${server.pid}/io`, 'utf8').match(/syscr: (\d+)/)?.[1]
    // The server checks its files several times a second.
    for (const before = looks(); looks() === before; ) await Bun.sleep(5)
    const { ino } = statSync(file)
    const locks = readFileSync('/proc/locks', 'utf8').split('\n')
    expect(
      locks.filter((lock) => lock.includes(` READ ${server.pid} `) && lock.includes(`:${ino} `)),
    ).toHaveLength(1)
    expect(await server.end()).toBe(0)
  },
)
