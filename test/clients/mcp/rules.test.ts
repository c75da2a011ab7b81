import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connectAgent } from '../../support/agent.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ config: { corsOrigins: ['https://app.example.com'] } })
})
afterAll(() => service.close())

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const CREATE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'create_note', arguments: { title: 'By a tool' } },
}

/** Sends a message of the previous revision. */
const post = (body: unknown, headers: Record<string, string> = {}, key = service.key) =>
  service.as(key).request('POST', '/mcp', body, {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  })

const notes = async () => (await service.get('/v1/notes')).body.total

describe('the endpoint', () => {
  test('needs a key or an access token, and says where to get one', async () => {
    expect(await service.as(undefined).post('/mcp', LIST)).toMatchObject({
      status: 401,
      body: { code: 'unauthorized' },
    })
    const refused = await service.as('dbk_unknown').post('/mcp', LIST)
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer realm="daybook", resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"',
    )
  })

  test('checks for a foreign name first, then for a foreign origin; its own and those of --cors-origin pass', async () => {
    const foreign = { host: 'evil.example.com', origin: 'https://evil.example.com' }
    expect(await post(CREATE, foreign)).toMatchObject({ status: 421, body: { code: 'bad_host' } })
    expect((await post(CREATE, foreign, 'dbk_unknown')).status).toBe(421)
    const { origin } = foreign
    expect(await post(CREATE, { host: 'localhost', origin })).toMatchObject({ status: 403 })
    expect((await post(CREATE, { host: 'localhost:8787', origin: 'http://localhost:9999' })).status).toBe(403)
    expect(await notes()).toBe(0)
    expect((await post(LIST, { host: 'localhost:8787', origin: 'http://localhost:8787' })).status).toBe(200)
    expect((await post(LIST, { host: 'localhost', origin: 'https://app.example.com' })).status).toBe(200)
  })

  test('takes one message a request, so that every call counts in the rate limit', async () => {
    expect(await post([CREATE, CREATE])).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    const limited = await startService({ config: { rateLimit: 3 } })
    const send = () =>
      limited.request('POST', '/mcp', LIST, {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      })
    const statuses = []
    for (let call = 0; call < 4; call++) statuses.push((await send()).status)
    limited.close()
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  test.each([
    ['resources/list', { cursor: 5 }, 'cursor', 'string'],
    ['tools/list', { cursor: {} }, 'cursor', 'string'],
    ['prompts/get', {}, 'name', 'string'],
    ['prompts/get', { name: 'import_table', arguments: { structure: 5 } }, 'arguments.structure', 'string'],
    ['resources/read', { uri: null }, 'uri', 'string'],
    ['tools/call', { name: 5 }, 'name', 'string'],
    ['initialize', {}, 'protocolVersion', 'string'],
  ])('refuses invalid parameters in one sentence: %s %j', async (method, params, name, type) => {
    const { status, body } = await post({ jsonrpc: '2.0', id: 1, method, params })
    expect([status, body.error]).toEqual([
      200,
      { code: -32602, message: `"${name}" must be of the type ${type}; see the schema of MCP.` },
    ])
  })

  test('pages through resources by cursors of its own', async () => {
    const others = await startService()
    for (let at = 0; at < 101; at++) await others.post('/v1/notes', { title: `note ${at}` })
    const { client, close } = await connectAgent(others.app, others.key)
    const first = await client.listResources({ cursor: 'start' })
    await others.post('/v1/notes', { title: 'newest' })
    const { resources, nextCursor } = await client.listResources({ cursor: first.nextCursor ?? '' })
    expect([...first.resources, ...resources].map(({ name }) => name)).toEqual(
      Array.from({ length: 101 }, (_, at) => `note ${100 - at}`),
    )
    expect(nextCursor).toBeUndefined()
    const refusal = '"cursor" must be one that this server has returned.'
    const other = await others.get('/v1/notes?limit=2&cursor=start')
    for (const cursor of ['100', other.body.next_cursor])
      await expect(client.listResources({ cursor })).rejects.toThrow(refusal)
    await close()
    others.close()
  })

  test('answers GET and DELETE with 405', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, headers } = await service.request(method, '/mcp')
      expect([status, headers.get('allow')]).toEqual([405, 'POST'])
    }
  })
})

describe('read-only callers', () => {
  const readers = [
    ['a read-only key', { scope: 'read' }, 'This API key is read-only'],
    ['a viewer', { role: 'viewer', user: 'viewer' }, 'The user of this API key is a viewer'],
  ] as const

  test.each(readers)('%s gets and runs only tools that read', async (_, options, sentence) => {
    const agent = await connectAgent(service.app, await service.newKey(options))
    const { tools } = await agent.client.listTools()
    expect(tools).toHaveLength(9)
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
    expect(agent.client.getInstructions()).toContain('may only read')
    const writes = {
      create_note: { title: 'x' },
      edit_note: { note: 'x', append: { text: 'x' } },
      update_note: { note: 'x', title: 'y' },
      write_records: { structure: 'x', rows: [{ data: {} }] },
      delete: { kind: 'note', id: 'x' },
      undo: { transaction: 'x' },
    }
    for (const [name, input] of Object.entries(writes)) {
      const refused = await agent.call(name, input)
      expect(refused).toMatchObject({ isError: true, code: 'read_only_key' })
      expect(refused.text).toStartWith(sentence)
    }
    expect(await notes()).toBe(0)
    expect((await agent.call('describe')).isError).toBe(false)
    await agent.close()
  })
})

describe('refusals of the API', () => {
  interface Refused {
    readonly tool: string
    readonly input: Record<string, unknown>
    readonly request: readonly [method: string, path: string, body?: unknown]
  }

  /** A call, and the API request that is refused for the same reason. */
  const REFUSED: readonly Refused[] = [
    { tool: 'create_note', input: { title: '' }, request: ['POST', '/v1/notes', { title: '' }] },
    { tool: 'create_note', input: { titel: 'x' }, request: ['POST', '/v1/notes', { titel: 'x' }] },
    {
      tool: 'create_note',
      input: { title: 'x', tags: ['a,b'] },
      request: ['POST', '/v1/notes', { title: 'x', tags: ['a,b'] }],
    },
    {
      tool: 'create_note',
      input: { title: 'x', preset: 'none' },
      request: ['POST', '/v1/presets/none/apply', { note_id: 'x' }],
    },
    {
      tool: 'list_notes',
      input: { filter: { type: 'tags', op: 'has_all', tag_ids: [9] } },
      request: ['POST', '/v1/notes/query', { filter: { type: 'tags', op: 'has_all', tag_ids: [9] } }],
    },
    { tool: 'list_notes', input: { view: 'none' }, request: ['GET', '/v1/views/none'] },
    {
      tool: 'read_note',
      input: { note: '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60' },
      request: ['GET', '/v1/notes/01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
    },
    { tool: 'read_file', input: { file: 'none' }, request: ['GET', '/v1/files/none'] },
    { tool: 'describe', input: { structure: 'none' }, request: ['GET', '/v1/records/structures/none'] },
    { tool: 'query_records', input: { structure: 'none' }, request: ['GET', '/v1/records?structure=none'] },
    {
      tool: 'query_records',
      input: { structure: 'List', filter: [{ field: 'n', op: 'contains', value: 'x' }] },
      request: [
        'GET',
        `/v1/records?structure=List&filter=${encodeURIComponent('[{"field":"n","op":"contains","value":"x"}]')}`,
      ],
    },
    {
      tool: 'query_records',
      input: { structure: 'List', sort: 'x' },
      request: ['GET', '/v1/records?structure=List&sort=x'],
    },
    {
      tool: 'summarize',
      input: { structure: 'List', field: 'what' },
      request: ['GET', '/v1/records/summary?structure=List&field=what'],
    },
    { tool: 'changes', input: { after: 'x' }, request: ['GET', '/v1/changes?after=x'] },
    { tool: 'changes', input: { kinds: 'x' }, request: ['GET', '/v1/changes?kinds=x'] },
    { tool: 'history', input: { record: 'none' }, request: ['GET', '/v1/records/none/history'] },
    {
      tool: 'write_records',
      input: { structure: 'List', rows: [{ data: { n: 1 } }, { data: { n: 'x' } }] },
      request: [
        'POST',
        '/v1/records',
        { structure: 'List', rows: [{ data: { n: 1 } }, { data: { n: 'x' } }] },
      ],
    },
    { tool: 'delete', input: { kind: 'record', id: 'none' }, request: ['DELETE', '/v1/records/none'] },
    {
      tool: 'undo',
      input: { transaction: 'none' },
      request: ['POST', '/v1/changes/undo', { transaction: 'none' }],
    },
  ]

  test('arrive as errors with the same sentence, and nothing changes', async () => {
    await service.post('/v1/records/structures', {
      name: 'List',
      fields: [
        { key: 'n', type: 'number' },
        { key: 'what', type: 'text' },
      ],
    })
    const agent = await connectAgent(service.app, service.key)
    const before = (await service.get('/v1/changes?after=now')).body.cursor
    for (const { tool, input, request } of REFUSED) {
      const [method, path, body] = request
      const { body: refusal } = await service.request(method, path, body)
      const result = await agent.call(tool, input)
      // A tool has its own parameter names, and lists those.
      const unlisted = (sentence: string) => sentence.replace(/known: [^.]*\./, 'known: ….')
      expect([tool, result.isError, result.code, unlisted(result.text)]).toEqual([
        tool,
        true,
        refusal.code,
        unlisted(refusal.error),
      ])
      expect(result.data).toBeUndefined()
    }
    expect((await service.get('/v1/changes?after=now')).body.cursor).toBe(before)
    await agent.close()
  })
})
