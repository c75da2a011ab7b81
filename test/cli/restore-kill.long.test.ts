import { beforeEach, expect, test } from 'bun:test'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { BEFORE, backedUpForEach, crash, RESTORED, usersOf } from '../support/backed-up.ts'
import { runInProcess } from '../support/cli.ts'
import { killedAtPoint } from '../support/kills.ts'
import { startProcess } from '../support/process.ts'

const made = backedUpForEach()
let db: string
let backup: string

beforeEach(() => {
  db = made.db
  backup = made.backup
})

/** Restores in a process that kills itself after this many steps, if ever. The process first runs `prepare`. */
async function restoreUntil(step: number, prepare = ''): Promise<void> {
  const module = resolve('src/storage/connection/restore.ts')
  await killedAtPoint(
    step,
    'restore',
    `${prepare}
     const { restoreDatabase } = await import(${JSON.stringify(module)})
     restoreDatabase(${JSON.stringify(backup)}, ${JSON.stringify(db)})`,
  )
}

/** Simulates a memory card's file system, which has no hard links. */
const WITHOUT_LINKS = `require('node:fs').linkSync = () => { throw new Error('EPERM') }`

test.each([1, 2, 3, 4, 5, Number.POSITIVE_INFINITY])(
  'without hard links, a restore killed after step %p leaves one of the two databases whole',
  async (step) => {
    await restoreUntil(step, WITHOUT_LINKS)
    expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    expect((await usersOf(db)).sort()).toEqual(step < 4 ? BEFORE : RESTORED)
    if (step >= 3) expect((await usersOf(`${db}.before-restore`)).sort()).toEqual(BEFORE)
  },
)

test.each([1, 2, 3, 4, 5])(
  'killed after step %i, a restore leaves the old or the new database whole',
  async (step) => {
    await restoreUntil(step)
    expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    expect((await usersOf(db)).sort()).toEqual(step < 4 ? BEFORE : RESTORED)
    const server = await startProcess(db, { key: 'none' })
    await server.end()
    expect((await runInProcess(['restore', backup, '--db', db])).exitCode).toBe(0)
    expect((await usersOf(db)).sort()).toEqual(RESTORED)
    expect(readdirSync(made.folder.path).filter((name) => name.includes('restoring'))).toEqual([])
  },
)

test.each([1, 2, 3, 4, 5, 6])(
  'killed after step %i, a restore beside a log of another database has touched neither it nor the two databases',
  async (step) => {
    crash(made)
    copyFileSync(backup, db)
    const [old, log] = [readFileSync(db), readFileSync(`${db}-wal`)]
    await restoreUntil(step)
    const left = readFileSync(db)
    if (step < 4) expect(left).toEqual(old)
    else expect(readFileSync(`${db}.before-restore`)).toEqual(old)
    expect(readFileSync(step < 5 ? `${db}-wal` : `${db}.before-restore-wal`)).toEqual(log)
    const { exitCode, err } = await runInProcess(['users', 'list', '--db', db])
    expect([exitCode, step < 5 ? err : '']).toEqual(
      step < 5 ? [1, expect.stringContaining('belongs to another database')] : [0, ''],
    )
    if (step < 5) expect(readFileSync(db)).toEqual(left)
    expect((await runInProcess(['restore', backup, '--db', db])).exitCode).toBe(0)
    expect((await usersOf(db)).sort()).toEqual(RESTORED)
    expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  },
)
