import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { commandCaller } from '../../src/cli/open-database.ts'
import { defineJob, enqueue, isPending } from '../../src/kernel/jobs.ts'
import { write } from '../../src/kernel/operation.ts'
import { refused } from '../../src/lib/refusal.ts'
import { findOperation } from '../../src/operations.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const caller = commandCaller({ pk: 1, id: '' })

const steps: string[] = []
const second = defineJob<string, number>('second', (_, __, left) => {
  steps.push(`second ${left}`)
  return left === 0 ? 'done' : left - 1
})
const first = defineJob<string, number>('first', (tx, key, left) => {
  steps.push(`first ${left}`)
  if (left === 0) enqueue(tx, second, key, 1)
  return left === 0 ? 'done' : left - 1
})
const other = defineJob<string, number>('other', () => 'done')

const settling = write({
  name: 'test.settling',
  covers: 'notes',
  settles: [first, second],
  run: (tx, _, { key }: { key: string }) => {
    enqueue(tx, first, key, 1)
    enqueue(tx, other, key, 0)
    return { key }
  },
})

test('a write responds once the jobs that it settles are done, also those that follow from them', async () => {
  const { kernel, db } = service.ctx
  steps.length = 0
  expect(await kernel.callAs(caller, settling, { key: 'a' })).toEqual({ key: 'a' })
  expect(steps).toEqual(['first 1', 'first 0', 'second 1', 'second 0'])
  expect([first, second, other].map((job) => isPending(db, job, 'a'))).toEqual([false, false, true])
})

interface Naming {
  readonly name: string
  readonly isTrial: boolean
}

const naming = write({
  name: 'test.naming',
  covers: 'notes',
  settles: [first],
  run: (tx, _, { name }: Naming) => {
    if (name === '') throw refused('"name" is empty.')
    enqueue(tx, first, name, 0)
    return { name }
  },
  isTrial: ({ isTrial }, { name }) => isTrial || name === 'never',
})

test('a dry run is checked and returns its output, and nothing is written', async () => {
  const { kernel, db } = service.ctx
  const call = (name: string, isTrial: boolean) => kernel.callAs(caller, naming, { name, isTrial })
  steps.length = 0
  expect(await call('dry', true)).toEqual({ name: 'dry' })
  expect(await call('never', false)).toEqual({ name: 'never' })
  await expect(call('', true)).rejects.toThrow('"name" is empty.')
  expect([isPending(db, first, 'dry'), isPending(db, first, 'never'), steps]).toEqual([false, false, []])
  await call('real', false)
  expect(steps).toEqual(['first 0'])
})

const SOURCE = join(import.meta.dir, '..', '..', 'src')
/** A declaration with a literal name: an operation, or a tool, whose operation is named after it. */
const DECLARED = /\b(read|write|readTool|writeTool|longWriteTool)(?:<[^(]*>)?\(\s*\{\s*name: '([\w.-]+)'/g

test('threads find every declared operation by its name', async () => {
  const names: string[] = []
  for await (const path of new Glob('**/*.ts').scan(SOURCE)) {
    if (path.startsWith('web/')) continue
    const text = await Bun.file(join(SOURCE, path)).text()
    for (const [, by, name] of text.matchAll(DECLARED))
      names.push(by?.endsWith('Tool') ? `mcp.${name}` : `${name}`)
  }
  const missing: string[] = []
  for (const name of names) await findOperation(name).catch(() => missing.push(name))
  expect(missing).toEqual([])
  expect(names.length).toBeGreaterThan(200)
  expect(new Set(names).size).toBe(names.length)
})
