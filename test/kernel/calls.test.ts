import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { commandCaller } from '../../src/cli/open-database.ts'
import { ownCredential } from '../../src/kernel/call.ts'
import type { Access, Caller, Grant } from '../../src/kernel/caller.ts'
import { type Operation, read, type Snapshot, write } from '../../src/kernel/operation.ts'
import { refused } from '../../src/lib/refusal.ts'
import { connectApp } from '../support/connected-app.ts'
import { removeUser } from '../support/members.ts'
import { startService, type TestService } from '../support/service.ts'

/* Calls of operations on the main thread: their callers, their conditions, and the findings of reads. */

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const callerOf = (_: unknown, caller: Caller) => caller
const reading = read({ name: 'test.reading', covers: 'notes', run: callerOf })
const writing = write({ name: 'test.writing', covers: 'notes', run: callerOf })

const nameOf = (options: object) => `user ${JSON.stringify(options)}`

/** A caller with a new key, as the server authenticates it. */
async function callerWith(options: {
  scope?: 'write' | 'read'
  role?: 'editor' | 'viewer'
  access?: Access
}) {
  const key = await service.newKey({ user: nameOf(options), ...options })
  const { body } = await service.as(key).get('/v1/me')
  return { ...commandCaller({ pk: 1, id: body.workspace_id }), keyId: body.key.id as string }
}

const call = async (caller: Caller, operation: Operation<unknown, Caller>, isNamed?: boolean) =>
  service.ctx.kernel.callAs(caller, operation, {}, isNamed)

const codeOf = (calling: Promise<unknown>) =>
  calling.then(
    () => 'ok',
    ({ code }) => code,
  )

test('an operation gets the permissions that its caller has now, whatever the caller had before', async () => {
  const editor = await callerWith({})
  for (const operation of [reading, writing])
    expect(await call(editor, operation)).toMatchObject({ role: 'editor', scope: 'write', mayWrite: true })
  for (const options of [{ scope: 'read' }, { role: 'viewer' }] as const) {
    const caller = await callerWith(options)
    expect(await call(caller, reading)).toMatchObject({ ...options, mayWrite: false })
    expect(await codeOf(call(caller, writing))).toBe('read_only_key')
  }
  expect(await codeOf(call({ ...editor, keyId: crypto.randomUUID() }, reading))).toBe('unauthorized')
})

test('an operation knows the app that calls it, whose work counts apart from that of its user', async () => {
  const editor = await callerWith({})
  const { id } = await connectApp(service, nameOf({}))
  const app = await call({ ...editor, keyId: null, appId: id }, writing)
  expect(app).toMatchObject({ appId: id, keyId: null, role: 'editor' })
  expect((await call(editor, writing)).appId).toBeUndefined()
})

test('hidden notes are searched nowhere by name, and refused to writes that name none', async () => {
  const caller = await callerWith({ access: { notes: 'none' } })
  expect(await call(caller, reading)).toMatchObject({ workspacePk: 0 })
  expect(await call(caller, writing)).toMatchObject({ workspacePk: 0 })
  expect(await codeOf(call(caller, writing, false))).toBe('no_access')
  const reader = await callerWith({ access: { notes: 'read' } })
  expect(await call(reader, reading)).toMatchObject({ workspacePk: 1 })
  expect(await codeOf(call(reader, writing))).toBe('no_access')
})

test('a caller is checked again with the permissions that it has by then', async () => {
  const { kernel } = service.ctx
  const options = { role: 'editor', access: { notes: 'read' } } as const
  const { keyId, workspaceId } = await callerWith(options)
  const grant: Grant = {
    ...ownCredential('notes', 1).grant,
    keyId,
    workspaceId,
    permissions: undefined,
  }
  const recheck = (needs: Partial<Grant>) => {
    try {
      return kernel.recheck({ ...grant, ...needs }).role
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  expect(recheck({ needsWrite: false })).toBe('editor')
  expect(recheck({ needsWrite: true })).toBe('no_access')
  expect(recheck({ needsWrite: true, covers: 'files' })).toBe('editor')
  expect(recheck({ needsWrite: false, needsOwner: true })).toBe('owner_required')
  expect(recheck({ keyId: crypto.randomUUID() })).toBe('unauthorized')
  await removeUser(service, nameOf(options))
  expect(recheck({ needsWrite: false })).toBe('unauthorized')
})

test('a credential for other content than that of the operation is a fault of the program', () => {
  const { kernel } = service.ctx
  expect(() => kernel.call(reading, ownCredential('files'), {})).toThrow('test.reading covers notes')
})

test('the response of a read waits for what is learned from it, with the time of each finding', async () => {
  let now = 1_000
  const time = spyOn(performance, 'now').mockImplementation(() => now)
  const learned: unknown[] = []
  const first = Promise.withResolvers<void>()
  const learning = read({
    name: 'test.learning',
    covers: 'notes',
    run: (snapshot: Snapshot, _, { findings }: { findings: readonly string[] }) => {
      for (const finding of findings) {
        now += 5
        snapshot.report?.(finding)
      }
      return { findings: findings.length }
    },
    learn: (_, finding, ms) => {
      learned.push([finding, ms])
      if (finding === 'none') return undefined
      return finding === 'fails' ? Promise.reject(refused('not learned')) : first.promise
    },
  })
  const { kernel } = service.ctx
  const calling = (...findings: string[]) => kernel.call(learning, ownCredential('notes', 1), { findings })
  expect(calling()).toEqual({ findings: 0 })
  expect(calling('none')).toEqual({ findings: 1 })
  let isDone = false
  const waiting = Promise.resolve(calling('slow', 'none')).then((output) => {
    isDone = true
    return output
  })
  await Bun.sleep(0)
  expect(isDone).toBe(false)
  first.resolve()
  expect(await waiting).toEqual({ findings: 2 })
  await expect(Promise.resolve(calling('slow', 'fails'))).rejects.toThrow('not learned')
  expect(learned).toEqual([
    ['none', 5],
    ['slow', 5],
    ['none', 5],
    ['slow', 5],
    ['fails', 5],
  ])
  time.mockRestore()
})

test('a call may be refused before the response saved for its Idempotency-Key is found', async () => {
  let isRefused = false
  let runs = 0
  const creating = write({
    name: 'test.creating',
    covers: 'notes',
    check: () => {
      if (isRefused) throw refused('not any more')
    },
    run: () => ({ number: ++runs, secret: 's' }),
    saved: ({ number }) => ({ number }),
  })
  const { kernel } = service.ctx
  const credential = ownCredential('notes', 1)
  const identity = { keyId: 'k', target: 'POST /t', idempotencyKey: 'i' }
  const send = (bodyText: string, as: typeof identity | undefined = identity) =>
    kernel.respondOnce(creating, credential, {}, { bodyText }, as)
  expect(await send('a')).toEqual({ text: '{"number":1,"secret":"s"}', replayed: false })
  expect(await send('a')).toEqual({ text: '{"number":1}', replayed: true })
  await expect(send('b')).rejects.toThrow('was used with another body')
  expect(await kernel.respondOnce(creating, credential, {}, { bodyText: 'a' }, undefined)).toEqual({
    text: '{"number":2,"secret":"s"}',
    replayed: false,
  })
  isRefused = true
  await expect(send('a')).rejects.toThrow('not any more')
  expect(await kernel.call(creating, credential, {})).toEqual({ number: 3, secret: 's' })
})
