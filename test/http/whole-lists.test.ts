import { afterEach, beforeEach, expect, test } from 'bun:test'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

/* Lists without pages, and agent reads of a whole workspace, run in a worker thread if they are long. */

const MANY = 12

const LISTS = [
  '/v1/tags',
  '/v1/properties',
  '/v1/presets',
  '/v1/views',
  '/v1/lenses',
  '/v1/quick-access',
  '/v1/records/structures',
  '/v1/files',
]

let folder: ReturnType<typeof newFolder>
let service: TestService
let note: string

async function create(path: string, body: object): Promise<string> {
  const answer = await service.post(path, body)
  if (answer.status !== 201) throw new Error(answer.body.error)
  return answer.body.note?.id ?? ''
}

async function createOfEach(n: number): Promise<void> {
  note = await create('/v1/notes', { title: `Note ${n}`, tags: [`tag ${n}`, 'all'] })
  const { id: tag } = (await service.get('/v1/tags')).body.tags[0]
  const filter = { type: 'tags', op: 'has_any', tag_ids: [tag] }
  await create('/v1/properties', { key: `key${n}`, type: 'select', options: ['a', 'b'] })
  await create('/v1/presets', {
    name: `Preset ${n}`,
    tags: ['all'],
    properties: [{ key: `key${n}`, value: 'a' }],
  })
  await create('/v1/views', { name: `View ${n}`, filter })
  await create('/v1/lenses', { name: `Lens ${n}`, scope: filter })
  await create('/v1/quick-access', { note_id: note })
  await create('/v1/records/structures', { name: `S ${n}`, fields: [{ key: 'n', type: 'number' }] })
  await service.ctx.db.write(({ sql, newId, now }): void => {
    sql.run(
      `INSERT INTO files (id, workspace, note, file_name, mime_type, size, status, created_at, updated_at)
       SELECT ?, workspace, pk, 'a.txt', 'text/plain', 1, 'ready', ?, ? FROM notes WHERE notes.id = ?`,
      newId(),
      now,
      now,
      note,
    )
  })
}

beforeEach(async () => {
  folder = newFolder()
  service = await startService({ file: folder.file('daybook.db') })
  for (let n = 0; n < MANY; n++) await createOfEach(n)
})
afterEach(() => {
  service.close()
  folder.remove()
})

test('a long list is the same, byte for byte, as one that is read on the main thread', async () => {
  const paths = [...LISTS, `/v1/notes/${note}/files`, `/v1/files?note_id=${note}`]
  const textOf = async (path: string) => {
    const request = new Request(`http://localhost${path}`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    const response = await service.app.fetch(request)
    return [response.status, response.headers.get('content-type'), await response.text()]
  }
  const client = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  const calls = { 'tools/call': { name: 'describe', arguments: {} }, initialize: client }
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const textsOf = async () => {
    const texts: unknown[][] = []
    for (const path of paths) texts.push(await textOf(path))
    for (const [method, params] of Object.entries(calls)) {
      const { status, body } = await service.request(
        'POST',
        '/mcp',
        { jsonrpc: '2.0', id: 1, method, params },
        headers,
      )
      texts.push([status, method, JSON.stringify(body.result)])
    }
    return texts
  }
  const before = await textsOf()
  expect(before.map(([status]) => status)).toEqual(before.map(() => 200))
  expect(before.every(([, , text]) => String(text).length > 100)).toBe(true)
  service.close()
  service = await startService({ file: folder.file('daybook.db'), worker: { manyRows: -1 } })
  expect(await textsOf()).toEqual(before)
  const unknown = await service.get(`/v1/files?note_id=${service.ctx.db.ids(1)}`)
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
})
