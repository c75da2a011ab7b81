import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { notices, pendingCount, unsavedWork } from '../../src/web/data/pending.ts'
import { type Cell, type CellStore, cellStore, type StoredCell } from '../../src/web/data/pending-cells.ts'
import { Edits } from '../../src/web/data/records/edits.ts'
import type { Field, Row } from '../../src/web/data/records/model.ts'
import { RowSource } from '../../src/web/data/records/rows.ts'
import { editsOf } from '../../src/web/data/records/table-edits.ts'
import { undoStack } from '../../src/web/data/records/undo.ts'
import { sessionKey } from '../../src/web/data/session-key.ts'
import { clearLastAction } from '../../src/web/pages/records/actions.ts'
import { settle, startService, type TestService } from '../support/service.ts'

const NAME = { key: 'name', label: 'Name', type: 'text' } as Field
const PERSON = { key: 'person', label: 'Person', type: 'note' } as Field
const TOTAL = { key: 'total', label: 'Total', type: 'number' } as Field

let service: TestService
let source: RowSource
let edits: Edits
let leave: () => void
let row: Row
/** A promise that changes of rows wait for. */
let held: Promise<unknown>
let fetched: ReturnType<typeof spyOn<typeof globalThis, 'fetch'>>

/** One row and its editor; both use a real service as the page would. */
beforeEach(async () => {
  service = await startService()
  held = Promise.resolve()
  await service.post('/v1/records/structures', { name: 'Orders', fields: [NAME, { ...TOTAL, min: 0 }] })
  const data = { name: 'before', total: 1 }
  row = (await service.post('/v1/records', { structure: 'Orders', data })).body.records[0]
  fetched = spyOn(globalThis, 'fetch')
  fetched.mockImplementation((async (path: string, init: RequestInit) => {
    if (init.method === 'PATCH') await held
    const headers = { ...init.headers, authorization: `Bearer ${service.key}` }
    return service.app.fetch(new Request(`http://localhost${path}`, { ...init, headers }))
  }) as typeof fetch)
  source = new RowSource({ structure: 'Orders', filter: [], sort: undefined, direction: 'desc' })
  edits = new Edits({ id: 'orders', name: 'Orders' }, source)
  leave = edits.show()
})
afterEach(() => {
  source.close()
  fetched.mockRestore()
  sessionKey.value = undefined
  service.close()
})

const stored = async (): Promise<Row['data']> => (await service.get(`/v1/records/${row.id}`)).body.record.data

test.each([
  ['put back as it was', 'before'],
  ['edited once more', 'second'],
])(
  'a cell that is %s before its edit is saved holds what was typed last, and is no conflict',
  async (_, last) => {
    const release = Promise.withResolvers<void>()
    held = release.promise
    const first = edits.save(row, NAME, 'first')
    const second = edits.save(row, NAME, last)
    expect(edits.of(row.id, 'name')).toMatchObject({ kind: 'saving', text: last })
    release.resolve()
    await first
    await second
    expect([(await stored()).name, edits.of(row.id, 'name')]).toEqual([last, undefined])
  },
)

test('a cell that was edited once more shows that, as being saved, when its first edit is saved', async () => {
  const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  held = one.promise.then(() => {
    held = other.promise
  })
  const first = edits.save(row, NAME, 'first')
  const second = edits.save(row, NAME, 'second')
  one.resolve()
  await first
  expect([edits.of(row.id, 'name')?.text, edits.isSaving]).toEqual(['second', true])
  other.resolve()
  await second
  expect((await stored()).name).toBe('second')
})

test('undo of an edit whose first response was lost gives the value before it', async () => {
  const respond = fetched.getMockImplementation() as typeof fetch
  let isLost = false
  fetched.mockImplementation((async (path: string, init: RequestInit) => {
    const response = await respond(path, init)
    if (init.method !== 'PATCH' || isLost) return response
    isLost = true
    // The open table is notified of the write first.
    source.replace(((await response.json()) as { record: Row }).record)
    return Response.json(
      { error: 'Busy.', code: 'unavailable' },
      { status: 503, headers: { 'Retry-After': '0' } },
    )
  }) as typeof fetch)
  undoStack.clear()
  await edits.save(row, NAME, 'first')
  expect([isLost, (await stored()).name]).toEqual([true, 'first'])
  await undoStack.undo()
  expect((await stored()).name).toBe('before')
})

test('a later write of someone else conflicts with an edit of an older state', async () => {
  await edits.save(row, NAME, 'first')
  await service.patch(`/v1/records/${row.id}`, { data: { name: 'theirs' } })
  await edits.save(row, NAME, 'second')
  expect(edits.of(row.id, 'name')).toMatchObject({ kind: 'conflict', theirs: 'theirs', text: 'second' })
  expect((await stored()).name).toBe('theirs')
})

test('edits of one user are never sent in the session of another', async () => {
  const release = Promise.withResolvers<void>()
  held = release.promise
  const first = edits.save(row, NAME, 'first')
  const second = edits.save(row, TOTAL, '2')
  sessionKey.value = 'another'
  release.resolve()
  await first
  await second
  expect((await stored()).total).toBe(1)
  expect(edits.of(row.id, 'total')).toMatchObject({ kind: 'refused', text: '2' })
})

const LEAVING = {
  'another person came': () => {
    sessionKey.value = 'another'
  },
  'it was given up': () => {
    for (const work of unsavedWork) work.discard?.()
  },
}

test.each(Object.entries(LEAVING))(
  'edits pending when %s are neither sent nor counted',
  async (_, leaveIt) => {
    const before = pendingCount.value
    const release = Promise.withResolvers<void>()
    held = release.promise
    const own = editsOf({ id: 'left', name: 'Left' }, source)
    const saves = [own.save(row, NAME, 'first'), own.save(row, TOTAL, '2'), own.save(row, PERSON, 'Ann')]
    leaveIt()
    release.resolve()
    await Promise.all(saves)
    expect([(await stored()).total, pendingCount.value - before]).toEqual([1, 0])
  },
)

/** Returns the notices shown on every screen, with their links. */
const told = () => [...notices.value.values()].map(({ sentence, address }) => `${sentence} ${address}`)

test('a cell refused after leaving its rows is announced elsewhere, and shown on return', async () => {
  const saving = edits.save(row, TOTAL, '-2')
  leave()
  await saving
  expect(told()).toEqual(['Unsaved change in Orders. /app/records/orders'])
  edits.show()
  expect([...told(), edits.of(row.id, 'total')?.kind]).toEqual(['refused'])
})

test('a draft of a deleted row is announced on every screen until it is discarded', async () => {
  const saving = edits.save(row, TOTAL, '2')
  await service.delete(`/v1/records/${row.id}`)
  await saving
  expect(told()).toEqual(['Unsaved change in a deleted row of Orders. /app/settings/offline'])
  edits.drop(row.id, TOTAL.key)
  expect(told()).toEqual([])
})

test('a cell is queued once however often it is edited, and until a refused draft is discarded', async () => {
  const before = pendingCount.value
  const release = Promise.withResolvers<void>()
  held = release.promise
  const counts: number[] = []
  const count = () => counts.push(pendingCount.value - before)
  const saves = [edits.save(row, NAME, 'first'), edits.save(row, NAME, 'second')]
  count()
  saves.push(edits.save(row, TOTAL, '-2'))
  count()
  release.resolve()
  await Promise.all(saves)
  count()
  edits.drop(row.id, TOTAL.key)
  count()
  expect(counts).toEqual([1, 2, 1, 0])
})

test('an unsaved cell of one user is not announced in the session of another', async () => {
  const release = Promise.withResolvers<void>()
  held = release.promise
  const first = edits.save(row, NAME, 'first')
  const second = edits.save(row, TOTAL, '2')
  sessionKey.value = 'another'
  leave()
  release.resolve()
  await first
  await second
  expect(told()).toEqual([])
})

test.each([
  ['stored', undefined],
  ['not stored', new Error('full')],
])('edits replaced by a write that is %s are sent only if it is not', async (_, failure) => {
  const [release, storing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  held = release.promise
  const saves = [edits.save(row, NAME, 'first'), edits.save(row, TOTAL, '2')]
  const drafts: unknown[] = []
  const replaced = edits.replace([[row.id, TOTAL.key]], (names) => {
    drafts.push(...names)
    return storing.promise
  })
  expect([drafts, edits.of(row.id, 'total')]).toEqual([[['orders', row.id, 'total']], undefined])
  release.resolve()
  await Promise.all(saves)
  expect(await stored()).toEqual({ name: 'first', total: 1 })
  if (failure) storing.reject(failure)
  else storing.resolve()
  expect(await replaced.catch((error) => error)).toBe(failure)
  await edits.settled
  expect(await stored()).toEqual({ name: 'first', total: failure ? 2 : 1 })
})

test('the rows of a structure without drafts are evicted, unlike those with a refused cell', async () => {
  const structure = { id: 'others', name: 'Others' }
  const shown = editsOf(structure, source)
  const leaveThem = shown.show()
  shown.refuse(row.id, TOTAL, 'many', 'Total must be a number.')
  leaveThem()
  expect(editsOf(structure, source)).toBe(shown)
  const leaveAgain = shown.show()
  shown.drop(row.id, TOTAL.key)
  leaveAgain()
  expect(editsOf(structure, source)).not.toBe(shown)
})

test('undo covers only edits made after the reset, not those in flight at that time', async () => {
  const release = Promise.withResolvers<void>()
  held = release.promise
  const first = edits.save(row, NAME, 'first')
  clearLastAction()
  release.resolve()
  await first
  await undoStack.undo()
  expect((await stored()).name).toBe('first')
  await edits.save(row, TOTAL, '2')
  await undoStack.undo()
  expect(await stored()).toEqual({ name: 'first', total: 1 })
})

/** The storage of a browser, which accepts no new edits while it is full. */
function limitedStorage() {
  const cells = new Map<string, StoredCell>()
  const nameOf = ({ row, field }: Pick<Cell, 'row' | 'field'>) => `${row.id} ${field.key}`
  const storage = { isFull: false, cells, store: {} as CellStore }
  storage.store = {
    change: async (owner, { edited, updated, removed }) => {
      if (storage.isFull && edited.length > 0) throw new Error('The quota has been exceeded.')
      for (const cell of [...edited, ...updated])
        cells.set(nameOf(cell), { ...owner, name: nameOf(cell), tab: '', ...cell })
      for (const cell of removed) if (cells.get(nameOf(cell))?.at === cell.at) cells.delete(nameOf(cell))
    },
    list: async () => [...cells.values()],
    keepSaved: () => {},
  }
  cellStore.current = storage.store
  return storage
}

describe('with storage', () => {
  let storage: ReturnType<typeof limitedStorage>
  let own: Edits

  beforeEach(() => {
    storage = limitedStorage()
    sessionKey.value = 'ann home'
    own = new Edits({ id: 'orders', name: 'Orders' }, source)
  })
  afterEach(() => {
    Reflect.deleteProperty(cellStore, 'current')
  })

  test('an edit that the full storage refuses is sent in place of the stored one before it', async () => {
    const release = Promise.withResolvers<void>()
    held = release.promise
    const first = own.writeRow(row, new Map([[NAME, 'first']]), 1)
    storage.isFull = true
    const second = own.writeRow(row, new Map([[NAME, 'second']]), 2)
    await settle()
    own.sync([...storage.cells.values()])
    expect(own.of(row.id, 'name')).toMatchObject({ kind: 'saving', text: 'second' })
    release.resolve()
    await Promise.all([first, second])
    expect([(await stored()).name, own.of(row.id, 'name')]).toEqual(['second', undefined])
    expect([...storage.cells]).toEqual([])
  })

  test('an edit is not sent if another user signs in while it is being stored', async () => {
    const { change } = storage.store
    cellStore.current = {
      ...storage.store,
      change: async (owner, changes) => {
        await change(owner, changes)
        if (changes.updated.length > 0) sessionKey.value = 'bob home'
      },
    }
    await own.writeRow(row, new Map([[TOTAL, 2]]), 1)
    expect(sessionKey.value).toBe('bob home')
    expect((await stored()).total).toBe(1)
    expect([...storage.cells.values()]).toMatchObject([{ user: 'ann', state: { kind: 'saving', value: 2 } }])
  })

  test('a text that is no value stays when another tab has sent the edit before it', async () => {
    const release = Promise.withResolvers<void>()
    held = release.promise
    const first = own.writeRow(row, new Map([[TOTAL, 2]]), 1)
    await settle()
    const sent = [...storage.cells.values()]
    await own.save(row, TOTAL, 'many')
    await cellStore.current?.change(
      { user: 'ann', workspace: 'home' },
      { edited: [], updated: [], removed: sent },
    )
    own.sync([...storage.cells.values()])
    expect(own.of(row.id, 'total')).toMatchObject({ kind: 'refused', text: 'many' })
    release.resolve()
    await first
    expect(storage.cells.size).toBe(1)
    own.drop(row.id, 'total')
  })
})
