import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { estimateTokens } from '../../../src/clients/mcp/text/fit.ts'
import { type Agent, connectAgent, type ToolResult } from '../../support/agent.ts'
import { hasManyCases } from '../../support/counts.ts'
import { makeFile } from '../../support/files.ts'
import { startService, type TestService } from '../../support/service.ts'

/* Reads take less than 8,000 tokens of a model, however much data there is: as text, and as structured content. */

const MAX_TOKENS = 8_000
const NOTES = hasManyCases ? 100_000 : 400
const ROWS = hasManyCases ? 1_000_000 : 1_000

const PROSE = 'The engine weaves algebraic patterns just as the loom weaves flowers and leaves. '
/** Random letters and digits take the most tokens for their length. */
const noise = (length: number) =>
  Array.from({ length }, (_, at) => (at * at * 7919 + at * 104_729).toString(36))
    .join(' ')
    .slice(0, length)
const HAN = '分析機関は代数的な模様を織り上げる。'

let service: TestService
let agent: Agent
let longNote: string
let wideNote: string
let file: string
let record: string

beforeAll(async () => {
  service = await startService()
  agent = await connectAgent(service.app, service.key)
  const create = async (note: object): Promise<string> => (await service.post('/v1/notes', note)).body.note.id
  longNote = await create({ title: 'Long', content: `# Start\n${`${PROSE}\n`.repeat(3_000)}# End\n` })
  wideNote = await create({ title: 'Wide', content: noise(200_000) })
  for (let at = 0; at < NOTES; at++)
    await create({
      title: `${at} ${noise(480)}`.slice(0, 500),
      content: `${HAN.repeat(20)} needle ${PROSE}[[Long]]`,
      tags: [`tag ${at} ${noise(60)}`],
    })
  await service.post('/v1/records/structures', {
    name: 'Wide rows',
    fields: Array.from({ length: 30 }, (_, at) => ({ key: `field_${at}`, type: 'text', label: noise(200) })),
  })
  const data = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`field_${at}`, noise(900 + at)]))
  const wideRows = Array.from({ length: 100 }, (_, at) => ({ data: { ...data, field_1: `needle ${at}` } }))
  record = (await service.post('/v1/records', { structure: 'Wide rows', rows: wideRows })).body.records[0].id
  await service.post('/v1/records/structures', { name: 'Many rows', fields: [{ key: 'what', type: 'text' }] })
  for (let at = 0; at < ROWS; at += 500) {
    const rows = Array.from({ length: 500 }, (_, row) => ({
      data: { what: `needle ${((at + row) * 104_729).toString(36)}` },
    }))
    await service.post('/v1/records', { structure: 'Many rows', rows })
  }
  for (let at = 0; at < 60; at++)
    await service.patch(`/v1/records/${record}`, { data: { field_0: `${at} ${noise(2_000)}` } })
  file = await makeFile(service, {
    noteId: longNote,
    pages: [PROSE.repeat(40), noise(90_000), HAN.repeat(200)],
  })
  // The first search indexes notes that were just written.
  await service.get('/v1/notes?search=needle&limit=1')
}, 600_000)
afterAll(async () => {
  await agent.close()
  service.close()
})

const tokensOf = ({ text, data }: ToolResult) => [encode(text).length, encode(JSON.stringify(data)).length]

describe('an answer fits', () => {
  const READS: readonly (readonly [tool: string, input: () => Record<string, unknown>])[] = [
    ['search', () => ({ query: 'needle', limit: 50 })],
    ['search', () => ({ query: 'needle', in: ['records'], limit: 50 })],
    ['list_notes', () => ({ limit: 200 })],
    ['read_note', () => ({ note: longNote, max_lines: 10_000, links: true })],
    ['read_note', () => ({ note: longNote })],
    ['read_note', () => ({ note: wideNote, links: true })],
    ['read_note', () => ({ note: wideNote, outline: true })],
    ['read_file', () => ({ file })],
    ['read_file', () => ({ file, pages: '2' })],
    ['read_file', () => ({ file, pages: '3' })],
    ['describe', () => ({})],
    ['describe', () => ({ structure: 'Wide rows' })],
    ['query_records', () => ({ structure: 'Wide rows', limit: 500 })],
    ['query_records', () => ({ structure: 'Wide rows', limit: 1 })],
    ['query_records', () => ({ structure: 'Many rows', limit: 500 })],
    ['summarize', () => ({ structure: 'Wide rows', by: 'field_1' })],
    ['changes', () => ({ limit: 1_000 })],
    ['changes', () => ({ limit: 1_000, kinds: 'record' })],
    ['history', () => ({ record, limit: 200 })],
  ]

  test.each(READS)('of %s', async (tool, input) => {
    const result = await agent.call(tool, input())
    expect(result.isError).toBe(false)
    for (const tokens of tokensOf(result)) expect(tokens).toBeLessThan(MAX_TOKENS)
  })

  test('and names the next page, so that every line of a note can be read in order', async () => {
    for (const note of [longNote, wideNote]) {
      const { content } = (await service.get(`/v1/notes/${note}`)).body.note
      let read = ''
      for (let from = 1, isMore = true; isMore; ) {
        const { data } = await agent.call('read_note', { note, from_line: from, max_lines: 10_000 })
        read += data.content
        isMore = data.has_more
        from = data.from_line + linesShown(data.content)
      }
      expect(read).toBe(content)
    }
  })

  test('and pages lead through all rows and all changes', async () => {
    const ids = new Set<string>()
    for (let offset = 0, isMore = true; isMore && ids.size < 60; ) {
      const { data } = await agent.call('query_records', { structure: 'Wide rows', limit: 50, offset })
      for (const { id } of data.records) ids.add(id)
      offset += data.records.length
      isMore = data.has_more
      expect(ids.size).toBe(offset)
    }
    const { body } = await service.get('/v1/changes?limit=1000&kinds=tag')
    const cursors: string[] = []
    for (let after: string | undefined; cursors.length < body.changes.length; ) {
      const { data } = await agent.call('changes', { after, kinds: 'tag', limit: 1_000 })
      cursors.push(...data.changes.map(({ cursor }: { cursor: string }) => cursor))
      after = data.cursor
    }
    const first = body.changes.map(({ cursor }: { cursor: string }) => cursor)
    expect(cursors.slice(0, first.length)).toEqual(first)
  })
})

/** A line of more than 1,000 characters is read in parts. */
const linesShown = (content: string): number =>
  content.split(/(?<=\n)/).reduce((count, line) => count + Math.ceil(line.length / 1_000), 0)

test('instructions stay below 500 tokens, whatever the workspace holds', async () => {
  for (let at = 0; at < 20; at++)
    await service.post('/v1/records/structures', {
      name: `Structure ${at} ${noise(300)}`,
      fields: Array.from({ length: 20 }, (_, field) => ({
        key: `a_long_key_of_a_field_${field}`,
        type: 'text',
      })),
    })
  const again = await connectAgent(service.app, service.key)
  expect(encode(again.client.getInstructions() ?? '').length).toBeLessThan(500)
  await again.close()
})

test('the estimate of tokens is never a quarter too low', () => {
  const texts = fc.oneof(
    fc
      .array(fc.constantFrom('the', 'engine', 'weaves', 'algebraic', 'patterns', ',', '.', '\n'), {
        minLength: 50,
        maxLength: 200,
      })
      .map((words) => words.join(' ')),
    fc.array(fc.uuid(), { minLength: 5, maxLength: 20 }).map((ids) => ids.join(' | ')),
    fc.string({
      minLength: 200,
      maxLength: 400,
      unit: fc.constantFrom(...'分析機関は代数的な模様を織り上げる人工知能'),
    }),
    fc.string({
      minLength: 200,
      maxLength: 400,
      unit: fc.constantFrom(...'Вычислительнаямашина плетётузоры'),
    }),
    fc
      .array(fc.record({ what: fc.string(), amount: fc.double(), day: fc.date() }), {
        minLength: 5,
        maxLength: 20,
      })
      .map((rows) => JSON.stringify(rows)),
    fc.string({ minLength: 200, maxLength: 400 }),
  )
  fc.assert(
    fc.property(texts, (text) => {
      expect(encode(text).length).toBeLessThanOrEqual((4 / 3) * estimateTokens(text) + 10)
    }),
    { seed: 20261122, numRuns: 300 },
  )
})
