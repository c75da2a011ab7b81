import { expect, test } from 'bun:test'
import { settle, startService, type TestService } from '../support/service.ts'
import { readWatch, type Watch } from '../support/watch.ts'

const request = (service: TestService, key: string, id: string) =>
  service.app.fetch(
    new Request(`http://localhost/v1/notes/${id}/presence`, { headers: { authorization: `Bearer ${key}` } }),
  )

async function open(service: TestService, key: string, id: string): Promise<Watch> {
  const watch = readWatch(await request(service, key, id))
  await watch.opened()
  return watch
}

async function started() {
  const service = await startService()
  const [owner, ada] = [String(service.key), await service.newKey({ user: 'ada' })]
  const { body } = await service.post('/v1/notes', { title: 'Shared', content: 'one\ntwo' })
  const change = async (milliseconds: number) => {
    await settle()
    service.clock.advance(milliseconds)
    await settle()
  }
  return { service, owner, ada, id: String(body.note.id), change }
}

const namesIn = async (watch: Watch): Promise<string[]> =>
  (await watch.event('people')).people.map(({ name }: { name: string }) => name)

test('everyone in a note sees who else is there, each user once, until the last stream of a user ends', async () => {
  const { service, owner, ada, id, change } = await started()
  const first = await open(service, owner, id)
  expect(await namesIn(first)).toEqual(['owner'])
  await change(100)
  await first.rest()
  const streams = [await open(service, ada, id), await open(service, ada, id)]
  expect(await namesIn(streams[0] as Watch)).toEqual(['owner', 'ada'])
  await change(100)
  expect(await namesIn(first)).toEqual(['owner', 'ada'])
  await streams[0]?.leave()
  await change(100)
  expect(await first.rest()).toEqual([])
  await streams[1]?.leave()
  await change(100)
  expect(await namesIn(first)).toEqual(['owner'])
  service.close()
})

test('a report of writing holds for 6 seconds, or until it is taken back, and keeps the line', async () => {
  const { service, owner, ada, id, change } = await started()
  const reader = await open(service, owner, id)
  const writer = await open(service, ada, id)
  await change(100)
  await reader.rest()
  const report = async (body: object) => (await service.as(ada).post(`/v1/notes/${id}/presence`, body)).body
  const adaIn = ({ people }: { people: { name: string }[] }) => people.find(({ name }) => name === 'ada')
  expect(adaIn(await report({ writing: true, line: 2 }))).toMatchObject({ writing: true, line: 2 })
  await change(100)
  expect(adaIn(await reader.event('people'))).toMatchObject({ writing: true, line: 2 })
  await change(5_000)
  await report({ writing: true })
  await change(5_000)
  expect(await reader.rest()).toEqual([])
  await change(1_100)
  expect(adaIn(await reader.event('people'))).toMatchObject({ writing: false, line: 2 })
  await report({ writing: true })
  await report({ writing: false })
  await change(100)
  expect(adaIn(await reader.event('people'))).toMatchObject({ writing: false })
  await writer.leave()
  service.close()
})

test('callers who cannot read the note learn nothing, and reporters without a stream are not in it', async () => {
  const { service, owner, ada, id, change } = await started()
  const reader = await open(service, owner, id)
  await change(100)
  await reader.rest()
  const hidden = await service.newKey({
    user: 'bea',
    access: { notes: 'none', files: 'write', structures: {} },
  })
  const stranger = await service.newWorkspace('Other')
  const readers = [
    await service.newKey({ user: 'cy', scope: 'read' }),
    await service.newKey({ user: 'dee', access: { notes: 'read', files: 'write', structures: {} } }),
  ]
  for (const key of [hidden, stranger]) {
    expect((await request(service, key, id)).status).toBe(404)
    expect((await service.as(key).post(`/v1/notes/${id}/presence`, { writing: true })).status).toBe(404)
  }
  for (const key of readers) {
    const stream = await open(service, key, id)
    const { body } = await service.as(key).post(`/v1/notes/${id}/presence`, { writing: true, line: 1 })
    expect(body.people.at(-1)).toMatchObject({ writing: false, line: null })
    await stream.leave()
    await change(100)
  }
  await reader.rest()
  const { body } = await service.as(ada).post(`/v1/notes/${id}/presence`, { writing: true })
  expect(body.people.map(({ name }: { name: string }) => name)).toEqual(['owner'])
  await change(100)
  expect(await reader.rest()).toEqual([])
  const before = (await service.get('/v1/changes?limit=500')).body.changes.length
  await service.as(ada).post(`/v1/notes/${id}/presence`, { writing: true })
  expect((await service.get('/v1/changes?limit=500')).body.changes).toHaveLength(before)
  service.close()
})

test('a user has at most 10 streams in a note, and others still open it', async () => {
  const { service, owner, ada, id } = await started()
  const streams = []
  for (let count = 0; count < 10; count++) streams.push(await open(service, ada, id))
  const refused = await request(service, ada, id)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect(await namesIn(await open(service, owner, id))).toEqual(['ada', 'owner'])
  await streams[0]?.leave()
  await settle()
  expect((await request(service, ada, id)).status).toBe(200)
  service.close()
})
