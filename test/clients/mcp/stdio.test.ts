import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Agent, BEFORE, CURRENT, connectAgent, type Revision, startAgent } from '../../support/agent.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../../support/process.ts'

/*
 * Calls every tool of the executable with the official client. The transports are HTTP, and standard input and output
 * with a running server's database or address.
 */

const folder = newFolder()
const db = folder.file('daybook.db')
let server: ServerProcess

beforeAll(async () => {
  server = await startProcess(db, { args: ['--log-level', 'warn'] })
  await server.post('/v1/records/structures', {
    name: 'Expenses',
    fields: [
      { key: 'what', type: 'text' },
      { key: 'amount', type: 'number' },
    ],
  })
  await Bun.write(folder.file('mill.txt'), 'The mill weaves.')
  await daybook(['files', 'add', folder.file('mill.txt'), '--db', db])
})
afterAll(async () => {
  await server.end()
  folder.remove()
})

/** The server sees writes of another process within a second. */
async function withinASecond(isSo: () => Promise<boolean>): Promise<boolean> {
  for (const until = performance.now() + 1_000; performance.now() < until; ) if (await isSo()) return true
  return isSo()
}

/** Calls every tool once; returns the tools that failed. */
async function useEverything(agent: Agent): Promise<string[]> {
  const failed: string[] = []
  const call = async (tool: string, input: Record<string, unknown> = {}) => {
    const result = await agent.call(tool, input)
    if (result.isError) failed.push(`${tool}: ${result.text}`)
    return result.data
  }
  const { note } = await call('create_note', { title: 'Räume', content: 'alpha' })
  await call('edit_note', { note: note.id, edits: [{ old_str: 'alpha', new_str: 'beta' }] })
  await call('update_note', { note: note.id, add_tags: ['t'] })
  await call('read_note', { note: note.id })
  await call('search', { query: 'beta' })
  await call('list_notes')
  await call('read_file', { file: 'mill.txt' })
  await call('describe')
  const { records } = await call('write_records', {
    structure: 'Expenses',
    rows: [{ data: { what: 'tea', amount: 2 } }],
  })
  await call('query_records', { structure: 'Expenses' })
  await call('summarize', { structure: 'Expenses', field: 'amount' })
  await call('history', { record: records[0].id })
  await call('changes')
  const { transaction } = await call('delete', { kind: 'note', id: note.id })
  await call('undo', { transaction })
  const isAsLeft = async () => (await server.get(`/v1/notes/${note.id}`)).body.note?.content === 'beta'
  if (!(await withinASecond(isAsLeft))) failed.push('the note is not as it was left')
  return failed
}

const WAYS: readonly (readonly [string, (revision: Revision) => Promise<Agent>])[] = [
  ['over HTTP', (revision) => connectAgent(server, server.key, revision)],
  ['on the database', (revision) => startAgent(['--db', db], server.key ?? '', revision)],
  [
    'on the address of the server',
    (revision) => startAgent(['--url', server.url], server.key ?? '', revision),
  ],
]

describe.each(WAYS)('an agent %s', (_, connect) => {
  test.each<Revision>([CURRENT, BEFORE])('uses every tool, on %s', async (revision) => {
    const agent = await connect(revision)
    expect(await useEverything(agent)).toEqual([])
    const isLogged = async () => {
      const { actor } = (await server.get('/v1/changes?before=now&limit=1')).body.changes[0]
      return actor.surface === 'mcp' && actor.name === 'first key'
    }
    expect(await withinASecond(isLogged)).toBe(true)
    await agent.close()
  })
})

describe('daybook mcp', () => {
  const initialize = (id: number) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'initialize',
      params: { protocolVersion: BEFORE, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })

  test('answers every message sent before its input ended, and invalid lines', async () => {
    const env = { DAYBOOK_KEY: server.key ?? '' }
    const input = `${initialize(1)}\nnonsense\n${initialize(2)}`
    const { exitCode, out } = await daybook(['mcp', '--db', db], { env, input })
    expect(exitCode).toBe(0)
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2, null])
    expect(answers.find(({ id }) => id === null)?.error.code).toBe(-32_700)
  })

  test('answers the messages before an oversized one, and ends', async () => {
    const call = { name: 'create_note', arguments: { title: 'before the long one' } }
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
    const env = { DAYBOOK_KEY: server.key ?? '' }
    const input = `${request}\n${'x'.repeat(11 * 1024 * 1024)}`
    const { exitCode, out, err } = await daybook(['mcp', '--db', db], { env, input })
    expect([exitCode, err]).toEqual([1, expect.stringContaining('longer than 10 MiB')])
    expect(JSON.parse(out).result.structuredContent.transaction).toBeString()
  })

  test('refuses to start without a key, with a wrong one, and beside a missing database', async () => {
    const key = { DAYBOOK_KEY: server.key ?? '' }
    const cases: { args: string[]; env: Record<string, string>; exitCode: number }[] = [
      { args: ['--db', db], env: {}, exitCode: 2 },
      { args: ['--db', db], env: { DAYBOOK_KEY: 'dbk_wrong' }, exitCode: 1 },
      { args: ['--db', folder.file('none.db')], env: key, exitCode: 1 },
      { args: ['--db', db, '--url', server.url], env: key, exitCode: 2 },
      { args: ['--url', 'nowhere'], env: key, exitCode: 2 },
    ]
    for (const { args, env, exitCode } of cases) {
      const outcome = await daybook(['mcp', ...args], { env, input: '' })
      expect([args, outcome.exitCode, outcome.out]).toEqual([args, exitCode, ''])
      expect(outcome.err).not.toBe('')
    }
  })

  test.each([150, 100_000])('refuses values nested %i levels deep, as the API does', async (levels) => {
    const list = '['.repeat(levels) + ']'.repeat(levels)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
    const params = `{"name":"create_note","arguments":{"title":"deep","properties":{"x":${list}}}}`
    const input = JSON.stringify(call).replace('}', `,"params":${params}}`)
    const { out } = await daybook(['mcp', '--db', db], { env: { DAYBOOK_KEY: server.key ?? '' }, input })
    const { result } = JSON.parse(out)
    expect(result).toMatchObject({ isError: true, _meta: { code: 'invalid_request' } })
    expect(result.content[0].text).toBe('The call is nested more than 100 levels deep.')
    expect((await server.get('/v1/notes?search=deep')).body.total).toBe(0)
  })

  test('obeys a revocation at the next message', async () => {
    const created = await daybook(['keys', 'create', '--name', 'short', '--db', db])
    const agent = await startAgent(['--db', db], created.out.trim())
    expect((await agent.call('describe')).isError).toBe(false)
    await daybook(['keys', 'revoke', 'short', '--db', db])
    await expect(agent.call('create_note', { title: 'too late' })).rejects.toThrow('not valid')
    await agent.close().catch(() => {})
  })
})
