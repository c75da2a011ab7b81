import { afterEach, beforeEach, expect, test } from 'bun:test'
import { besideOthers, repeatChange, repeatWrite } from '../../src/kernel/repeated.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

test('a write is repeated with its last output while it has more to do', async () => {
  const seen: (number | undefined)[] = []
  const write = (last: number | undefined) => {
    seen.push(last)
    return (last ?? 3) - 1
  }
  expect(await repeatWrite(service.ctx.db, write, (left) => left > 0)).toBe(0)
  expect(seen).toEqual([undefined, 2, 1])
  expect(await repeatWrite(service.ctx.db, write, () => false)).toBe(2)
})

test('a repeated change stops before its first and before its next transaction once it is aborted', async () => {
  const controller = new AbortController()
  let changes = 0
  const change = () => {
    changes += 1
    controller.abort()
    return true
  }
  await expect(repeatChange(service.ctx.db, change, controller.signal)).rejects.toThrow('aborted')
  const inFirst = changes
  expect(inFirst).toBeGreaterThan(0)
  await expect(repeatChange(service.ctx.db, change, controller.signal)).rejects.toThrow('aborted')
  expect(changes).toBe(inFirst)
})

test('the parts of a long value come in their order', async () => {
  expect(await Array.fromAsync(besideOthers([1, 2, 3]))).toEqual([1, 2, 3])
})

test('other work runs between the parts of a long value', async () => {
  const parts = besideOthers([1, 2])
  await parts.next()
  let hasRun = false
  setImmediate(() => {
    hasRun = true
  })
  await parts.next()
  expect(hasRun).toBe(true)
})
