import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../src/lib/dates.ts'
import { signedIn } from '../support/browser-client.ts'
import { alter } from '../support/database.ts'
import { beginEpoch } from '../support/epochs.ts'
import { runRetention } from '../support/jobs.ts'
import { newFolder } from '../support/process.ts'
import { declare, list, queryOf, write } from '../support/records.ts'
import { settle, startService, type TestService } from '../support/service.ts'
import { deleteStructure } from '../support/structures.ts'
import { type Watch, watch } from '../support/watch.ts'

const MERGE_MS = 250
const FIELDS = [
  { key: 'name', type: 'text' },
  { key: 'size', type: 'number' },
]

let service: TestService
// biome-ignore lint/suspicious/noExplicitAny: answered by the service
let structure: any

beforeEach(async () => {
  service = await startService()
  structure = await declare(service, 'Boxes', FIELDS)
})
afterEach(() => service.close())

const patch = (id: string, data: object) => service.patch(`/v1/records/${id}`, { data })
const one = async (data: Record<string, unknown>) => (await write(service, 'Boxes', data))[0]

/** The description of the structure in every answer. */
const shown = () => ({ id: structure.id, name: structure.name, fields: structure.fields })

/** Waits for the end of the merge interval. */
async function merge(): Promise<void> {
  await settle()
  service.clock.advance(MERGE_MS)
}

describe('the stream', () => {
  test('has the headers of one, also for clients that assume Latin-1 for text', async () => {
    const { response } = await watch(service, 'Boxes')
    expect(response.status).toBe(200)
    const { 'x-request-id': id, ...headers } = Object.fromEntries(response.headers)
    expect(id).toMatch(/^[0-9a-f]{16,}$/)
    expect(headers).toEqual({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
  })

  test('is open to a read-only key and to a viewer', async () => {
    const read = await service.newKey({ scope: 'read' })
    const viewer = await service.newKey({ user: 'Vera', role: 'viewer' })
    for (const key of [read, viewer]) {
      const opened = await watch({ app: service.app, key }, 'Boxes')
      expect((await opened.event('answer')).total).toBe(0)
    }
  })

  test('shows a sign of life every 25 seconds', async () => {
    const opened = await watch(service, 'Boxes')
    await opened.event('answer')
    service.clock.advance(24_999)
    expect(await opened.rest()).toEqual([])
    service.clock.advance(1)
    expect(await opened.rest()).toEqual([{ comment: 'alive' }])
    service.clock.advance(75_000)
    expect(await opened.rest()).toEqual(Array(3).fill({ comment: 'alive' }))
  })

  test('is not started for HEAD', async () => {
    const answer = await service.request('HEAD', '/v1/records/watch?structure=Boxes')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    expect((await service.request('HEAD', '/v1/records/watch?structure=Nope')).status).toBe(404)
    expect(service.app.watching()).toEqual({ channels: 0, readers: 0 })
    expect(service.clock.waiting()).toBe(0)
  })

  test.each([
    ['structure=Nope', 404, 'not_found'],
    ['', 400, 'invalid_request'],
    ['structure=Boxes&limit=0', 400, 'invalid_request'],
    ['structure=Boxes&limit=501', 400, 'invalid_request'],
    ['structure=Boxes&offset=1', 400, 'invalid_request'],
    ['structure=Boxes&changes=yes', 400, 'invalid_request'],
    ['structure=Boxes&direction=up', 400, 'invalid_request'],
    ['structure=Boxes&filter=no', 400, 'invalid_request'],
    ['structure=Boxes&sort=colour', 400, 'refused'],
    ['structure=Boxes&filter=[{"field":"size","op":"contains","value":"a"}]', 400, 'refused'],
  ])('is refused before it starts: %s', async (query, status, code) => {
    const answer = await service.get(`/v1/records/watch?${query}`)
    expect([answer.status, answer.body]).toEqual([status, { error: expect.any(String), code }])
    expect(service.app.watching()).toEqual({ channels: 0, readers: 0 })
    expect(service.clock.waiting()).toBe(0)
  })
})

describe('a response', () => {
  test('is the page of the list, immediately', async () => {
    await write(service, 'Boxes', { name: 'a', size: 1 }, { name: 'b', size: 2 }, { name: 'c' })
    for (const query of [
      {},
      { limit: 2 },
      { sort: 'size', direction: 'asc' },
      { filter: [{ field: 'size', op: 'gt', value: 1 }] },
    ]) {
      const opened = await watch(service, 'Boxes', query)
      const { body } = await list(service, 'Boxes', query)
      expect(await opened.event('answer')).toEqual({ structure: shown(), ...body })
    }
  })

  test('follows a change after the time of merging, with no second one for others in it', async () => {
    const opened = await watch(service, 'Boxes')
    await opened.event('answer')
    await one({ name: 'a' })
    service.clock.advance(MERGE_MS - 1)
    expect(await opened.rest()).toEqual([])
    await one({ name: 'b' })
    service.clock.advance(1)
    const { body } = await list(service, 'Boxes')
    expect(body.total).toBe(2)
    expect(await opened.event('answer')).toEqual({ structure: shown(), ...body })
    service.clock.advance(1_000)
    expect(await opened.rest()).toEqual([])
  })

  test('is not sent when it equals the last one', async () => {
    const box = await one({ name: 'a', size: 1 })
    const opened = await watch(service, 'Boxes', { filter: [{ field: 'size', op: 'gt', value: 5 }] })
    await opened.event('answer')
    await patch(box.id, { size: 2 })
    await merge()
    expect(await opened.rest()).toEqual([])
    await service.patch('/v1/records/structures/Boxes', { name: 'Cartons' })
    await merge()
    expect((await opened.event('answer')).structure.name).toBe('Cartons')
  })

  test('shows new fields', async () => {
    await one({ name: 'a' })
    const opened = await watch(service, 'Boxes', { changes: true })
    await opened.event('answer')
    const fields = [...FIELDS, { key: 'colour', type: 'text' }]
    const { body } = await service.patch('/v1/records/structures/Boxes', { fields })
    await merge()
    const { structure: told, changes } = await opened.event('answer')
    expect(told.fields).toEqual(body.structure.fields)
    expect(changes).toEqual({ created: [], updated: [], removed: [] })
  })

  test('belongs to the structure that has the name now, also when another had it just before', async () => {
    const folder = newFolder()
    const inFile = await startService({ file: folder.file('daybook.db') })
    // The structure of a name is cached only for milliseconds: one of many attempts soon sees the change.
    for (let tries = 0; tries < 20; tries++) {
      const { id } = await declare(inFile, 'Boxes', FIELDS)
      expect((await (await watch(inFile, 'Boxes')).event('answer')).structure.id).toBe(id)
      await inFile.patch(`/v1/records/structures/${id}`, { name: `Crates ${tries}` })
    }
    inFile.app.stop()
    inFile.close()
    folder.remove()
  })

  test('includes writes before the reader connected, also while changes are collected', async () => {
    const early = await watch(service, 'Boxes')
    await early.event('answer')
    await one({ name: 'a' })
    const late = await watch(service, 'Boxes', { changes: true })
    const first = await late.event('answer')
    expect([first.total, first.changes]).toEqual([1, undefined])
    expect(await early.rest()).toEqual([])
    await one({ name: 'b' })
    await merge()
    expect((await early.event('answer')).total).toBe(2)
    const second = await late.event('answer')
    expect(second.changes.created.map(({ data }: { data: object }) => data)).toEqual([{ name: 'b' }])
  })
})

describe('changes', () => {
  test('list added, changed and removed records from the second answer on', async () => {
    const kept = await one({ name: 'kept', size: 1 })
    const gone = await one({ name: 'gone', size: 2 })
    const opened = await watch(service, 'Boxes', { changes: true })
    expect(await opened.event('answer')).not.toHaveProperty('changes')
    await service.delete(`/v1/records/${gone.id}`)
    const { body } = await patch(kept.id, { size: 9 })
    const added = await one({ name: 'added' })
    await merge()
    const { changes } = await opened.event('answer')
    expect(changes).toEqual({ created: [added], updated: [body.record], removed: [gone.id] })
  })

  test('include records that enter or leave the filter or the limit', async () => {
    const [small, large] = await write(service, 'Boxes', { size: 1 }, { size: 10 })
    const filter = [{ field: 'size', op: 'lt', value: 5 }]
    const filtered = await watch(service, 'Boxes', { filter, changes: true })
    const limited = await watch(service, 'Boxes', { sort: 'size', limit: 1, changes: true })
    expect((await filtered.event('answer')).records).toEqual([small])
    expect((await limited.event('answer')).records).toEqual([large])
    const shrunk = (await patch(large.id, { size: 2 })).body.record
    const grown = (await patch(small.id, { size: 20 })).body.record
    await merge()
    expect((await filtered.event('answer')).changes).toEqual({
      created: [shrunk],
      updated: [],
      removed: [small.id],
    })
    expect((await limited.event('answer')).changes).toEqual({
      created: [grown],
      updated: [],
      removed: [large.id],
    })
    await service.delete(`/v1/records/${small.id}`)
    await merge()
    expect((await limited.event('answer')).changes).toEqual({
      created: [shrunk],
      updated: [],
      removed: [small.id],
    })
  })

  test('are left out for readers of the same query that did not ask for them', async () => {
    const plain = await watch(service, 'Boxes')
    const detailed = await watch(service, 'Boxes', { changes: true })
    expect(service.app.watching()).toEqual({ channels: 1, readers: 2 })
    await plain.event('answer')
    await detailed.event('answer')
    await one({ name: 'a' })
    await merge()
    const { changes, ...rest } = await detailed.event('answer')
    expect(changes.created).toHaveLength(1)
    expect(await plain.event('answer')).toEqual(rest)
    expect(plain.lastId).toBe(detailed.lastId ?? '')
  })
})

describe('a reader that reconnects', () => {
  const returning = async (id: string | undefined, more: Record<string, unknown> = {}) =>
    watch(service, 'Boxes', { changes: true, headers: { 'last-event-id': id ?? '' }, ...more })

  /** Reads one answer and disconnects; returns the id of the answer. */
  async function readAndLeave(): Promise<string | undefined> {
    const opened = await watch(service, 'Boxes', { changes: true })
    await opened.event('answer')
    await opened.leave()
    return opened.lastId
  }

  test('learns in the first answer whether the named answer is still known', async () => {
    await write(service, 'Boxes', { name: 'a' })
    const id = await readAndLeave()
    for (const [named, changes, resumed] of [
      [id, true, true],
      [id, false, true],
      ['of-another-server', true, false],
      ['of-another-server', false, false],
    ] as const) {
      const opened = await returning(named, { changes })
      expect(await opened.event('answer')).toMatchObject({ resumed })
      await one({ name: 'b' })
      await merge()
      expect(await opened.event('answer')).not.toHaveProperty('resumed')
      await opened.leave()
    }
    const fresh = await watch(service, 'Boxes', { changes: true })
    expect(await fresh.event('answer')).not.toHaveProperty('resumed')
  })

  test('gets all changes since then with the first answer', async () => {
    const [box, other, gone] = await write(service, 'Boxes', { name: 'a' }, { name: 'b' }, { name: 'gone' })
    const id = await readAndLeave()
    await patch(box.id, { name: 'A' })
    await service.delete(`/v1/records/${gone.id}`)
    await service.delete(`/v1/records/${other.id}`)
    await service.post(`/v1/records/${other.id}/restore`)
    const added = await one({ name: 'c' })
    service.clock.advance(2_000)
    const opened = await returning(id)
    const { changes, records } = await opened.event('answer')
    expect(records).toHaveLength(3)
    expect(changes).toEqual({ created: [added], updated: records.slice(1), removed: [gone.id] })
    await service.delete(`/v1/records/${added.id}`)
    await merge()
    expect((await opened.event('answer')).changes).toEqual({ created: [], updated: [], removed: [added.id] })
  })

  test('with an event of a replaced database learns that it is unknown', async () => {
    const early = await readAndLeave()
    await one({ name: 'a' })
    const late = await readAndLeave()
    // Simulates a server start with a copy made before the last write.
    await alter(service, 'DELETE FROM changes WHERE key = (SELECT max(key) FROM changes)')
    await beginEpoch(service)
    service.clock.advance(300_001)
    await one({ name: 'b' })
    const known = await returning(early)
    expect(await known.event('answer')).toMatchObject({ resumed: true })
    const unknown = await returning(late)
    const answer = await unknown.event('answer')
    expect(answer).toMatchObject({ resumed: false })
    expect(answer).not.toHaveProperty('changes')
  })

  test('is sent that nothing changed', async () => {
    await one({ name: 'a' })
    const id = await readAndLeave()
    const opened = await returning(id)
    expect((await opened.event('answer')).changes).toEqual({ created: [], updated: [], removed: [] })
  })

  test('gets the changes also when others continued reading', async () => {
    const staying = await watch(service, 'Boxes')
    const id = await readAndLeave()
    const added = await one({ name: 'a' })
    await merge()
    await staying.event('answer')
    await staying.event('answer')
    const opened = await returning(id)
    expect((await opened.event('answer')).changes).toEqual({ created: [added], updated: [], removed: [] })
  })

  test('gets the answer alone for another query or without changes', async () => {
    const id = await readAndLeave()
    await one({ name: 'a' })
    for (const [other, more] of [
      [id, { limit: 1 }],
      [id, { changes: undefined }],
      [`${id}0`, {}],
      ['', {}],
    ] as const) {
      const opened = await returning(other, more)
      expect(await opened.event('answer')).not.toHaveProperty('changes')
      await opened.leave()
    }
  })

  test('misses nothing as long as the change log has everything since', async () => {
    const id = await readAndLeave()
    await one({ name: 'a' })
    service.clock.advance(29 * DAY_MS)
    await runRetention(service.ctx)
    const late = await returning(id, { changes: false })
    expect(await late.event('answer')).toMatchObject({ resumed: true })
    await late.leave()
    service.clock.advance(2 * DAY_MS)
    await one({ name: 'b' })
    await runRetention(service.ctx)
    for (const changes of [true, false]) {
      const tooLate = await returning(id, { changes })
      const answer = await tooLate.event('answer')
      expect(answer).toMatchObject({ resumed: false, total: 2 })
      expect(answer).not.toHaveProperty('changes')
    }
  })

  test('after a restart of the server knows its page if nothing has changed since', async () => {
    const folder = newFolder()
    let server = await startService({ file: folder.file('daybook.db') })
    const restart = async () => {
      server.app.stop()
      server.close()
      server = await startService({ file: folder.file('daybook.db') })
    }
    await declare(server, 'Boxes', FIELDS)
    const opened = await watch(server, 'Boxes', { changes: true })
    await opened.event('answer')
    const back = async () => {
      const headers = { 'last-event-id': opened.lastId ?? '' }
      return (await watch(server, 'Boxes', { changes: true, headers })).event('answer')
    }
    await restart()
    const changes = { created: [], updated: [], removed: [] }
    expect(await back()).toMatchObject({ resumed: true, changes })
    await restart()
    await write(server, 'Boxes', { name: 'a' })
    const answer = await back()
    expect(answer).toMatchObject({ resumed: false, total: 1 })
    expect(answer).not.toHaveProperty('changes')
    server.app.stop()
    server.close()
    folder.remove()
  })

  test('cannot learn of another workspace with an id from there', async () => {
    const id = await readAndLeave()
    const key = await service.newWorkspace('Elsewhere')
    await declare(service.as(key), 'Boxes', FIELDS)
    const opened = await watch({ app: service.app, key }, 'Boxes', {
      changes: true,
      headers: { 'last-event-id': id ?? '' },
    })
    expect(await opened.event('answer')).not.toHaveProperty('changes')
  })
})

describe('one channel', () => {
  const filterOf = (...conditions: unknown[]) => JSON.stringify(conditions)
  const big = { field: 'size', op: 'gt', value: 1 }
  const named = { value: ['a', 'b'], op: 'in', field: 'name' }

  test('serves every equivalent query, however it is written', async () => {
    const { id } = structure
    for (const query of [
      { structure: 'Boxes', filter: filterOf(big, named) },
      { structure: 'boxes', filter: filterOf(named, big), sort: 'created_at', direction: 'desc' },
      { structure: id, filter: filterOf(big, { ...named, value: ['b', 'a', 'b'] }, big), limit: 50 },
      { structure: id, filter: ` ${filterOf(big, named)}`, changes: true },
    ]) {
      const { structure: asked, ...more } = query
      await watch(service, asked, more)
    }
    expect(service.app.watching()).toEqual({ channels: 1, readers: 4 })
  })

  test('sends to every one of many readers', async () => {
    const watches: Watch[] = []
    for (let count = 0; count < 1_100; count++)
      watches.push(await watch(service, 'Boxes', { limit: 1, changes: count % 2 === 0 }))
    const told = () => Promise.all(watches.map(async (opened) => (await opened.event('answer')).total))
    expect(new Set(await told())).toEqual(new Set([0]))
    await one({ name: 'a' })
    await merge()
    expect(new Set(await told())).toEqual(new Set([1]))
    expect(service.app.watching()).toEqual({ channels: 1, readers: 1_100 })
  })

  test('of another workspace is sent nothing', async () => {
    const key = await service.newWorkspace('Elsewhere')
    await declare(service.as(key), 'Boxes', FIELDS)
    const other = await watch({ app: service.app, key }, 'Boxes')
    expect((await other.event('answer')).total).toBe(0)
    expect((await service.as(key).get(`/v1/records/watch?structure=${structure.id}`)).status).toBe(404)
    await one({ name: 'secret' })
    service.ctx.bus.notify()
    await merge()
    expect(await other.rest()).toEqual([])
  })

  test('leaves nothing behind when its readers have left', async () => {
    const key = await service.newKey({ expiresAt: service.clock.now() + 86_400_000 })
    const watches = []
    for (const more of [{}, { changes: true }, { limit: 1 }])
      watches.push(await watch({ app: service.app, key }, 'Boxes', more))
    await one({ name: 'a' })
    expect(service.app.watching()).toEqual({ channels: 2, readers: 3 })
    expect(service.clock.waiting()).toBe(3 + 2 + 1)
    for (const opened of watches) await opened.leave()
    await settle()
    expect(service.app.watching()).toEqual({ channels: 0, readers: 0 })
    expect(service.clock.waiting()).toBe(0)
    await one({ name: 'b' })
    service.ctx.bus.notify()
    expect(service.clock.waiting()).toBe(0)
  })
})

describe('a query that becomes invalid', () => {
  const filter = [{ field: 'size', op: 'gt', value: 1 }]
  const change = (...fields: object[]) => service.patch('/v1/records/structures/Boxes', { fields })

  test('is reported as a problem once, and the page is sent when it is valid again', async () => {
    const opened = await watch(service, 'Boxes', { filter })
    await opened.event('answer')
    expect((await change({ key: 'name', type: 'text' })).status).toBe(200)
    await merge()
    expect(await opened.event('problem')).toEqual({
      error: expect.stringContaining('"size"'),
      code: 'refused',
    })
    service.clock.advance(5_000)
    expect(await opened.rest()).toEqual([])
    expect((await change(...FIELDS)).status).toBe(200)
    await merge()
    expect((await opened.event('answer')).total).toBe(0)
    expect(service.app.watching()).toEqual({ channels: 1, readers: 1 })
  })

  test('is repeated after a temporary failure', async () => {
    const opened = await watch(service, 'Boxes', { changes: true })
    await opened.event('answer')
    await alter(service, 'ALTER TABLE structure_stats RENAME TO elsewhere')
    service.ctx.bus.notify()
    await merge()
    expect(await opened.event('problem')).toEqual({ error: expect.any(String), code: 'internal' })
    await alter(service, 'ALTER TABLE elsewhere RENAME TO structure_stats')
    service.clock.advance(5_000)
    const { changes } = await opened.event('answer')
    expect(changes).toEqual({ created: [], updated: [], removed: [] })
  })
})

describe('the service closes', () => {
  test('streams of a revoked key, and no others', async () => {
    const key = await service.newKey()
    const lent = await watch({ app: service.app, key }, 'Boxes')
    const own = await watch(service, 'Boxes')
    await lent.event('answer')
    await own.event('answer')
    const owner = await signedIn(service)
    const { keys } = (await owner.request('GET', '/app/api/keys')).body
    const { id } = keys.find(({ name }: { name: string }) => name === 'test key')
    expect((await owner.request('DELETE', `/app/api/keys/${id}`)).status).toBe(200)
    service.ctx.bus.notify()
    expect(await lent.event('closed')).toEqual({ error: expect.any(String), code: 'key_revoked' })
    expect(await lent.next()).toBeUndefined()
    expect(await own.rest()).toEqual([])
    expect(service.app.watching()).toEqual({ channels: 1, readers: 1 })
  })

  test('streams of a key, when it expires', async () => {
    const key = await service.newKey({ expiresAt: service.clock.now() + 90_000 })
    const opened = await watch({ app: service.app, key }, 'Boxes')
    await opened.event('answer')
    service.clock.advance(89_999)
    expect(await opened.rest()).toEqual(Array(3).fill({ comment: 'alive' }))
    service.clock.advance(1)
    expect(await opened.event('closed')).toEqual({ error: expect.any(String), code: 'key_expired' })
    expect(await opened.next()).toBeUndefined()
    expect(service.clock.waiting()).toBe(0)
  })

  test('watches of a deleted structure', async () => {
    await declare(service, 'Bags', FIELDS)
    const opened = await watch(service, 'Boxes')
    const other = await watch(service, 'Bags')
    await opened.event('answer')
    await other.event('answer')
    await deleteStructure(service, 'Boxes')
    service.ctx.bus.notify()
    await merge()
    expect(await opened.event('closed')).toEqual({ error: expect.any(String), code: 'structure_deleted' })
    expect(await opened.next()).toBeUndefined()
    expect(await other.rest()).toEqual([])
  })

  test('everything when it stops', async () => {
    const opened = [await watch(service, 'Boxes'), await watch(service, 'Boxes', { limit: 1 })]
    for (const each of opened) await each.event('answer')
    service.app.stop()
    for (const each of opened) {
      expect(await each.event('closed')).toEqual({ error: expect.any(String), code: 'shutting_down' })
      expect(await each.next()).toBeUndefined()
    }
    expect(service.app.watching()).toEqual({ channels: 0, readers: 0 })
    expect(service.clock.waiting()).toBe(0)
    expect((await service.get('/v1/records/watch?structure=Boxes')).status).toBe(503)
  })
})

describe('the key in the query', () => {
  const anonymous = () => service.as(undefined)
  const path = (more: Record<string, unknown>) =>
    `/v1/records/watch?${queryOf({ structure: 'Boxes', ...more })}`

  test('opens a watch', async () => {
    const opened = await watch({ app: service.app, key: undefined }, 'Boxes', { access_token: service.key })
    expect((await opened.event('answer')).total).toBe(0)
  })

  test('is checked like one in the header, and refused beside it', async () => {
    const bad = await anonymous().get(path({ access_token: 'dbk_unknown' }))
    expect([bad.status, bad.body.code]).toEqual([401, 'unauthorized'])
    const empty = await anonymous().get(path({ access_token: '' }))
    expect([empty.status, empty.body.code]).toEqual([401, 'unauthorized'])
    const both = await service.get(path({ access_token: service.key }))
    expect([both.status, both.body.code]).toEqual([400, 'invalid_request'])
    const twice = await anonymous().get(`${path({ access_token: service.key })}&access_token=${service.key}`)
    expect([twice.status, twice.body.code]).toEqual([400, 'invalid_request'])
    expect(JSON.stringify(service.logged())).not.toContain('dbk_')
  })

  test('opens nothing else', async () => {
    const token = `access_token=${service.key}`
    for (const other of ['/v1/me', '/v1/records', '/v1/records/summary']) {
      expect((await anonymous().get(`${other}?structure=Boxes&${token}`)).status).toBe(401)
      expect((await service.get(`${other}?structure=Boxes&${token}`)).status).toBe(400)
    }
  })
})
