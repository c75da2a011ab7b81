import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import type { PendingAction, StoredAction } from '../../src/web/data/pending-actions.ts'
import { Unreachable } from '../../src/web/data/request.ts'
import { sendAction } from '../../src/web/data/send-action.ts'
import { sessionKey } from '../../src/web/data/session-key.ts'
import { currentForm, type EarlierAction } from '../../src/web/offline/stored-actions.ts'

let fetched: ReturnType<typeof spyOn<typeof globalThis, 'fetch'>>
/** Answers a request of an action. */
let answer: (method: string) => Response

const isOfAction = (path: unknown) => String(path).startsWith('/v1/')

beforeEach(() => {
  fetched = spyOn(globalThis, 'fetch')
  // Modules that other tests have loaded send requests of their own when the session changes.
  fetched.mockImplementation((async (path: string, init: RequestInit) =>
    isOfAction(path)
      ? answer(init.method ?? 'GET')
      : Response.json(
          { code: 'not_found', detail: 'Not here.' },
          { status: 404 },
        )) as unknown as typeof fetch)
  sessionKey.value = 'one here'
})
afterEach(() => {
  sessionKey.value = undefined
  fetched.mockRestore()
})

const writes = () => fetched.mock.calls.filter(([path, init]) => isOfAction(path) && init?.method !== 'GET')

const note = { id: 'note', title: 'Note' }
const row = { id: 'row', data: { name: 'new' }, updatedAt: '2026-01-01', before: {} }
const ACTIONS: readonly PendingAction[] = [
  { kind: 'value', note, before: false, value: true },
  { kind: 'rows', structure: { id: 'table', name: 'Table' }, created: [], changed: [row] },
]

test.each(ACTIONS)('after another user has signed in, nothing more is sent of %o', async (action) => {
  answer = (method) => {
    if (method !== 'GET') return Response.json({ code: 'stale', detail: 'It has changed.' }, { status: 409 })
    sessionKey.value = 'other here'
    return Response.json({
      note: { pinned: false, updated_at: '2026-01-01' },
      record: { data: {}, updated_at: '2026-01-02' },
    })
  }
  const before = action.kind === 'rows' ? 1 : 0
  await expect(sendAction(action, 1)).rejects.toBeInstanceOf(Unreachable)
  expect(writes()).toHaveLength(before)
})

test('after another user has signed in, the other notes of a tag get no request', async () => {
  answer = () => {
    sessionKey.value = 'other here'
    return Response.json({ tags: [] })
  }
  const notes = Array.from({ length: 100 }, (_, at) => ({ id: `note-${at}`, title: 'Note' }))
  await expect(sendAction({ kind: 'tag', notes, tag: 'away', isAdded: true }, 1)).rejects.toBeInstanceOf(
    Unreachable,
  )
  expect(writes().length).toBeLessThan(notes.length / 2)
})

test('entries of earlier versions get the current form', () => {
  const key = { user: 'one', workspace: 'here', tab: '', at: 1 }
  const structure = { id: 'table', name: 'Table' }
  const tag = { kind: 'tag', note: 'note', title: 'Note', tag: 'away', isAdded: true } as const
  const earlier: readonly EarlierAction[] = [
    { ...key, name: 'tag note away', action: tag },
    { ...key, name: 'row table row', action: { kind: 'row', structure, row, sentWith: 'key' } },
  ]
  const [tags, rows] = earlier.map(currentForm)
  expect(tags?.action).toEqual({ kind: 'tag', notes: [note], tag: 'away', isAdded: true })
  const created = [{ id: 'row', data: { name: 'new' } }]
  expect(rows?.action).toEqual({ kind: 'rows', structure, created, changed: [], sentWith: 'key' })
  expect(currentForm(tags as StoredAction)).toEqual(tags as StoredAction)
})
