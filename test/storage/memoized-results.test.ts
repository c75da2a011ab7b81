import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createLog } from '../../src/lib/log.ts'
import { type Db, openDatabase } from '../../src/storage/database.ts'
import type { Tx } from '../../src/storage/writes/transaction.ts'
import { newFolder } from '../support/process.ts'
import { testClock } from '../support/service.ts'

let folder: ReturnType<typeof newFolder>
let file: string
let db: Db

beforeEach(async () => {
  folder = newFolder()
  file = folder.file('daybook.db')
  const clock = testClock()
  const log = createLog('silent', clock, () => {})
  db = openDatabase({ file, programVersion: '0.0.0', clock, log, role: 'server' })
  await db.write((tx): void => {
    tx.sql.run("INSERT INTO workspaces (pk, id, name, name_fold, created_at) VALUES (1, 'w', 'w', 'w', 0)")
    tx.sql.run("INSERT INTO users (pk, id, name, name_fold, created_at) VALUES (1, 'u', 'u', 'u', 0)")
    tx.sql.run("INSERT INTO members (workspace, user, role) VALUES (1, 1, 'owner')")
    tx.sql.run(
      `INSERT INTO keys (id, workspace, user, name, scope, hash, created_at)
       VALUES ('k', 1, 1, 'k', 'write', 'h', 0)`,
    )
    tx.sql.run(
      `INSERT INTO sessions (id, user, workspace, hash, address, user_agent, created_at, last_used_at)
       VALUES ('s', 1, 1, 'h', '', '', 0, 0)`,
    )
    tx.sql.run("INSERT INTO change_epochs (workspace, epoch, since) VALUES (1, 'e', 0)")
    tx.sql.run(
      `INSERT INTO structures (id, workspace, name, name_fold, fields, unique_together, created_at, updated_at)
       VALUES ('s', 1, 's', 's', '[]', '[]', 0, 0)`,
    )
  })
})

afterEach(() => {
  db.close()
  folder.remove()
})

const readAll = (): string => {
  const tables = ['users', 'members', 'keys', 'sessions', 'change_epochs']
  return JSON.stringify([
    db.sql.all('SELECT id, name FROM workspaces'),
    db.sql.all('SELECT id, name_fold, fields FROM structures'),
    ...tables.map((table) => db.sql.all(`SELECT * FROM ${table}`)),
  ])
}
const memoized = () => db.sql.memoize('all', readAll)
/**
 * Writes to none of these tables except the counters of a workspace, and to attributes of a structure that requests do
 * not read.
 */
const unrelated = (tx: Tx): void => {
  tx.sql.run('UPDATE workspaces SET live_notes = live_notes + 1 WHERE pk = 1')
  tx.sql.run('UPDATE structures SET max_rows = 5')
}

test.each([
  "UPDATE workspaces SET name = 'other'",
  "UPDATE users SET name = 'other'",
  "UPDATE members SET role = 'viewer'",
  'UPDATE keys SET revoked_at = 1',
  'UPDATE sessions SET last_used_at = 1',
  'DELETE FROM members',
  'DELETE FROM keys',
  'DELETE FROM sessions',
  "INSERT INTO change_epochs (workspace, epoch, since) VALUES (1, 'f', 0)",
  "UPDATE structures SET name_fold = 'other'",
  'UPDATE structures SET fields = \'[{"key":"a"}]\'',
  'DELETE FROM structures',
  `INSERT INTO structures (id, workspace, name, name_fold, fields, unique_together, created_at, updated_at)
   VALUES ('t', 1, 't', 't', '[]', '[]', 0, 0)`,
])('what was memoized is read again at once after %s', async (statement) => {
  await db.write(unrelated)
  const before = memoized()
  await db.write((tx): void => {
    tx.sql.run(statement)
    // Not committed yet: no reader may memoize the pending change.
    expect(memoized()).toBe(before)
  })
  expect(memoized()).toBe(readAll())
  expect(memoized()).not.toBe(before)
})

test('cascaded deletions are visible immediately', async () => {
  memoized()
  await db.write((tx): void => void tx.sql.run('DELETE FROM users'))
  expect(memoized()).toBe(readAll())
})

test('a write that is refused changes nothing', async () => {
  const before = memoized()
  const refused = db.write((tx): void => {
    tx.sql.run('DELETE FROM keys')
    throw new Error('refused')
  })
  await expect(refused).rejects.toThrow('refused')
  expect(memoized()).toBe(before)
  await db.write(unrelated)
  expect(memoized()).toBe(before)
})

test('writes of another connection are visible immediately', async () => {
  const outside = new Database(file)
  // Another process commits while this thread waits.
  const revoke = async (at: number) => void outside.run('UPDATE keys SET revoked_at = ?', [at])
  memoized()
  await revoke(1)
  expect(memoized()).toContain('"revoked_at":1')
  await db.write(unrelated)
  await revoke(2)
  expect(memoized()).toContain('"revoked_at":2')
  await db.pauseDuring(() => revoke(3))
  expect(memoized()).toContain('"revoked_at":3')
  outside.close()
})
