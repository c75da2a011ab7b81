import { expect, test } from 'bun:test'
import { IdleMemory } from '../../src/db/connection/idle-memory.ts'

test('memory is released once after a busy time, and never during it or in a quiet one', () => {
  let released = 0
  const memory = new IdleMemory(() => released++)
  const during = (reads: number, commits = 0) => {
    for (let read = 0; read < reads; read++) memory.noteRead()
    for (let commit = 0; commit < commits; commit++) memory.noteCommit()
    memory.check()
    return released
  }
  expect([during(10), during(10_000), during(0, 100), during(10_000)]).toEqual([0, 0, 0, 0])
  expect([during(10), during(0), during(1_000)]).toEqual([1, 1, 1])
  expect([during(0, 100), during(0)]).toEqual([1, 2])
})
