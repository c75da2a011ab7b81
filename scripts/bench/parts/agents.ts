import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'bun'
import { buildWhenStale } from '../../lib/executable.ts'
import { type Action, interleaved } from '../measure.ts'
import { milliseconds, type Row, rowOf, type Section } from '../results.ts'
import { startServer } from '../servers.ts'

const GOAL = 2
const CURRENT = '2026-07-28'
const BEFORE = '2025-11-25'

type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<unknown>

const sender =
  (url: string, key: string): Send =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok || text.includes('"isError":true')) throw new Error(text)
    return JSON.parse(text)
  }

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': CURRENT,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Calls a tool as a client of this revision does. */
const callOf = (send: Send, revision: string) => (name: string, input: object) => {
  const isCurrent = revision === CURRENT
  const params = { name, arguments: input, ...(isCurrent && { _meta: ENVELOPE }) }
  return send(
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      ...(isCurrent && { 'mcp-method': 'tools/call', 'mcp-name': name }),
    },
  )
}

interface Pair {
  readonly what: string
  readonly tool: (call: ReturnType<typeof callOf>) => Action
  readonly request: Action
}

/** Pairs of the same work as a tool call and as a request. */
async function pairsOf(send: Send): Promise<Pair[]> {
  const content = 'The engine weaves algebraic patterns as the loom weaves leaves.\n'.repeat(60)
  const { note } = (await send('POST', '/v1/notes', { title: 'Measured', content })) as {
    note: { id: string }
  }
  for (let at = 0; at < 1_000; at++)
    await send('POST', '/v1/notes', {
      title: `Note ${at}`,
      content: `needle ${at}`,
      tags: [`tag ${at % 10}`],
    })
  const fields = [
    { key: 'what', type: 'text' },
    { key: 'amount', type: 'number' },
  ]
  await send('POST', '/v1/records/structures', { name: 'Rows', fields })
  const rows = Array.from({ length: 500 }, (_, at) => ({ data: { what: `row ${at}`, amount: at } }))
  for (let at = 0; at < 20; at++) await send('POST', '/v1/records', { structure: 'Rows', rows })
  const some = rows.slice(0, 50)
  const { id } = note
  return [
    {
      what: 'read a note',
      tool: (call) => () => call('read_note', { note: id }),
      request: () => send('GET', `/v1/notes/${id}`),
    },
    {
      what: 'search notes, 10 hits',
      tool: (call) => () => call('search', { query: 'needle', in: ['notes'] }),
      request: () => send('GET', '/v1/notes?search=needle&limit=10&content=false'),
    },
    {
      what: 'list 20 notes',
      tool: (call) => () => call('list_notes', {}),
      request: () => send('GET', '/v1/notes?limit=20&content=false'),
    },
    {
      what: 'query 25 rows',
      tool: (call) => () => call('query_records', { structure: 'Rows', sort: 'amount' }),
      request: () => send('GET', '/v1/records?structure=Rows&sort=amount&limit=25'),
    },
    {
      what: 'summarize 10,000 rows',
      tool: (call) => () =>
        call('summarize', {
          structure: 'Rows',
          field: 'amount',
          by: 'what',
          filter: [{ field: 'amount', op: 'lt', value: 20 }],
        }),
      request: () =>
        send(
          'GET',
          `/v1/records/summary?structure=Rows&field=amount&by=what&filter=${encodeURIComponent('[{"field":"amount","op":"lt","value":20}]')}`,
        ),
    },
    {
      what: 'create a note',
      tool: (call) => () => call('create_note', { title: 'New', content: 'text' }),
      request: () => send('POST', '/v1/notes', { title: 'New', content: 'text' }),
    },
    {
      what: 'append to a note',
      tool: (call) => () => call('edit_note', { note: id, append: { text: 'x' } }),
      request: () => send('POST', `/v1/notes/${id}/append`, { text: 'x' }),
    },
    {
      what: 'write 50 rows',
      tool: (call) => () => call('write_records', { structure: 'Rows', rows: some }),
      request: () => send('POST', '/v1/records', { structure: 'Rows', rows: some }),
    },
  ]
}

async function compared({ what, tool, request }: Pair, send: Send, rounds: number): Promise<Row> {
  const times = await interleaved(
    { current: tool(callOf(send, CURRENT)), before: tool(callOf(send, BEFORE)), request },
    rounds,
  )
  const [current, before, floor] = [times.current.median, times.before.median, times.request.median]
  return rowOf({
    what: `${what} (floor: over /v1)`,
    show: milliseconds,
    daybook: current,
    floor,
    goal: { maxRatio: GOAL },
    text: { daybook: `${milliseconds(current)}, on ${BEFORE} ${milliseconds(before)}` },
  })
}

/** The cost of a tool call compared with the same API request, over HTTP, against the executable. */
export async function benchAgents(rounds: number): Promise<Section[]> {
  buildWhenStale()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
  const db = join(folder, 'daybook.db')
  const server = await startServer(db, ['--log-level', 'warn'])
  try {
    const created = spawnSync(['dist/daybook', 'keys', 'create', '--name', 'bench', '--db', db])
    const send = sender(`http://127.0.0.1:${server.port}`, created.stdout.toString().trim())
    const rows: Row[] = []
    for (const pair of await pairsOf(send)) rows.push(await compared(pair, send, rounds))
    return [{ title: 'A call of a tool over HTTP', rows }]
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
