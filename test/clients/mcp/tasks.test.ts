import { afterAll, beforeAll, expect, test } from 'bun:test'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { connectAgent, type ToolResult } from '../../support/agent.ts'
import { hasManyCases } from '../../support/counts.ts'
import { startService, type TestService } from '../../support/service.ts'

/*
 * Twelve tasks in the way an agent performs them, each with limits for its calls and for the tokens of their responses.
 */

const PROSE = 'The engine weaves algebraic patterns just as the loom weaves flowers and leaves.'

let service: TestService
let keyId: string
const minutes: { name: string; calls: number; tokens: number }[] = []

beforeAll(async () => {
  service = await startService()
  keyId = (await service.get('/v1/me')).body.key.id
  const long = Array.from({ length: 2_400 }, (_, at) =>
    at % 100 === 0 ? `## Part ${at / 100}` : `${at}: ${PROSE}`,
  )
  long[1_777] = 'The brass wheel has 52 teeth.'
  await service.post('/v1/notes', { title: 'Manual of the engine', content: long.join('\n') })
  for (let at = 0; at < 200; at++)
    await service.post('/v1/notes', {
      title: `Log ${at}`,
      content: `${PROSE} Day ${at}. [[Manual of the engine]]`,
      tags: ['log'],
    })
  await service.post('/v1/properties', { key: 'status', type: 'select', options: ['open', 'done'] })
  await service.post('/v1/properties', { key: 'with', type: 'text' })
  await service.post('/v1/presets', {
    name: 'Meeting',
    tags: ['meeting'],
    ask: [{ key: 'with' }, { key: 'status', value: 'open' }],
  })
  const fields = [
    { key: 'what', type: 'text', required: true },
    { key: 'amount', type: 'number', unit: 'EUR' },
    { key: 'day', type: 'date' },
    { key: 'kind', type: 'select', options: ['food', 'rent', 'travel'] },
  ]
  await service.post('/v1/records/structures', { name: 'Spending', fields })
  const kinds = ['food', 'rent', 'travel']
  const rows = Array.from({ length: 500 }, (_, at) => ({
    data: {
      what: `thing ${at}`,
      amount: at,
      day: `2026-${String((at % 11) + 1).padStart(2, '0')}-15`,
      kind: kinds[at % 3],
    },
  }))
  await service.post('/v1/records', { structure: 'Spending', rows })
})
afterAll(() => {
  const rows = minutes.map(
    ({ name, calls, tokens }) => `| ${name} | ${calls} | ${tokens.toLocaleString('en-US')} |`,
  )
  if (hasManyCases)
    process.stdout.write(`| task | calls | tokens back |\n| --- | --- | --- |\n${rows.join('\n')}\n`)
  service.close()
})

type Call = (tool: string, input?: Record<string, unknown>) => Promise<ToolResult>

interface Limits {
  readonly calls: number
  readonly tokens: number
}

/** A task that succeeds within its limits. */
function task(name: string, limits: Limits, run: (call: Call) => Promise<void>): void {
  test(name, async () => {
    const agent = await connectAgent(service.app, service.key)
    let calls = 0
    let tokens = 0
    await run(async (tool, input) => {
      const result = await agent.call(tool, input)
      calls += 1
      tokens += encode(result.text).length
      return result
    })
    await agent.close()
    minutes.push({ name, calls, tokens })
    expect(calls).toBeLessThanOrEqual(limits.calls)
    expect(tokens).toBeLessThanOrEqual(limits.tokens)
  })
}

task('find a fact and quote it', { calls: 1, tokens: 300 }, async (call) => {
  const { data } = await call('search', { query: '"brass wheel"', in: ['notes'] })
  expect(data.notes[0].snippet).toContain('has 52 teeth')
  expect(data.notes[0].title).toBe('Manual of the engine')
})

task('file a meeting with a preset', { calls: 1, tokens: 200 }, async (call) => {
  const { data } = await call('create_note', {
    title: 'Meeting with Ada',
    content: 'Ask about [[Manual of the engine]].',
    preset: 'Meeting',
    answers: { with: 'Ada' },
  })
  expect(data).toMatchObject({ note: { tags: ['meeting'] }, properties: { with: 'Ada', status: 'open' } })
})

task('fix a passage in a note of 200,000 characters', { calls: 1, tokens: 600 }, async (call) => {
  const { isError } = await call('edit_note', {
    note: 'Manual of the engine',
    edits: [{ old_str: 'The brass wheel has 52 teeth.', new_str: 'The brass wheel has 54 teeth.' }],
  })
  expect(isError).toBe(false)
})

task('read one part of a long note by its outline', { calls: 2, tokens: 3_500 }, async (call) => {
  const { data } = await call('read_note', { note: 'Manual of the engine', outline: true })
  const part = data.outline.find(({ heading }: { heading: string }) => heading === '## Part 17')
  const read = await call('read_note', { note: 'Manual of the engine', from_line: part.line, max_lines: 100 })
  expect(read.data.content).toContain('has 54 teeth')
})

task('fill 300 rows from a table', { calls: 4, tokens: 7_000 }, async (call) => {
  await call('describe', { structure: 'Spending' })
  for (let batch = 0; batch < 3; batch++) {
    const rows = Array.from({ length: 100 }, (_, at) => ({
      data: { what: `import ${batch * 100 + at}`, amount: at, day: '2026-11-20', kind: 'travel' },
    }))
    expect((await call('write_records', { structure: 'Spending', rows })).data.inserted).toBe(100)
  }
})

task('summarise spending by month and kind', { calls: 1, tokens: 1_000 }, async (call) => {
  const { data } = await call('summarize', {
    structure: 'Spending',
    field: 'amount',
    period: 'month',
    date: 'day',
    by: 'kind',
  })
  expect(data.has_more).toBe(false)
  expect(data.buckets).toHaveLength(33)
})

task('correct all rows that match a filter', { calls: 2, tokens: 500 }, async (call) => {
  const filter = [{ field: 'what', op: 'in', value: ['import 7', 'import 8'] }]
  const { data } = await call('query_records', { structure: 'Spending', filter, fields: ['amount'] })
  const rows = data.records.map(({ id, updated_at }: { id: string; updated_at: string }) => ({
    id,
    data: { kind: 'food' },
    if_unchanged: updated_at,
  }))
  expect((await call('write_records', { structure: 'Spending', rows })).data.updated).toBe(2)
})

task('keep a daily log by appending', { calls: 2, tokens: 500 }, async (call) => {
  await call('create_note', { title: 'Diary', content: '# Diary' })
  const { data } = await call('edit_note', {
    note: 'Diary',
    append: { heading: '2026-11-21', text: 'Wrote tests.' },
  })
  expect(data.passage).toContain('## 2026-11-21\n\nWrote tests.')
})

task('list the open meetings by their property', { calls: 2, tokens: 1_500 }, async (call) => {
  const { data } = await call('describe')
  const status = data.properties.find(({ key }: { key: string }) => key === 'status')
  const filter = { type: 'property', def_id: status.id, op: 'eq', value: 'open' }
  const listed = await call('list_notes', { filter })
  expect(listed.data.notes.map(({ title }: { title: string }) => title)).toEqual(['Meeting with Ada'])
})

task('close a meeting and retag it', { calls: 1, tokens: 200 }, async (call) => {
  const { data } = await call('update_note', {
    note: 'Meeting with Ada',
    add_tags: ['archive'],
    remove_tags: ['meeting'],
    properties: { status: 'done' },
  })
  expect(data).toMatchObject({ note: { tags: ['archive'] }, properties: { status: 'done' } })
})

task('see what happened to a row, and set it right', { calls: 4, tokens: 1_500 }, async (call) => {
  const filter = [{ field: 'what', op: 'eq', value: 'import 7' }]
  const { data } = await call('query_records', { structure: 'Spending', filter })
  const { versions } = (await call('history', { record: data.records[0].id })).data
  expect(versions[0]).toMatchObject({ op: 'updated', previous: { kind: 'travel' } })
  const row = { id: data.records[0].id, data: versions[0].previous }
  expect(
    (await call('write_records', { structure: 'Spending', rows: [row] })).data.records[0].data.kind,
  ).toBe('travel')
})

task('undo everything that a key did since noon', { calls: 10, tokens: 1_500 }, async (call) => {
  service.clock.set(Date.parse('2026-11-21T12:00:00.000Z'))
  await service.post('/v1/notes', { title: 'By the API' })
  await call('create_note', { title: 'Mistake' })
  await call('edit_note', { note: 'Diary', append: { text: 'A mistake.' } })
  await call('write_records', {
    structure: 'Spending',
    rows: [{ data: { what: 'mistake' } }, { data: { what: 'mistake too' } }],
  })
  const transactions = new Set<string>()
  for (let after = '2026-11-21T12:00:00Z', isMore = true; isMore; ) {
    const { data } = await call('changes', { after })
    for (const { actor, transaction } of data.changes)
      if (actor.key_id === keyId && actor.surface === 'mcp') transactions.add(transaction)
    after = data.cursor
    isMore = data.has_more
  }
  for (const transaction of [...transactions].toReversed())
    expect((await call('undo', { transaction })).isError).toBe(false)
  const { notes } = (await service.get('/v1/notes?limit=3&sort=created_at')).body
  expect(notes[0].title).toBe('By the API')
  expect((await service.get('/v1/records?structure=Spending')).body.total).toBe(800)
})
