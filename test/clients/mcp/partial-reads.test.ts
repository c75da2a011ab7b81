import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Agent, connectAgent } from '../../support/agent.ts'
import { runs } from '../../support/counts.ts'
import { startService, type TestService } from '../../support/service.ts'

/*
 * An agent that has read a part of an object, and writes from that part, never overwrites the unread part.
 */

let service: TestService
let agent: Agent
beforeAll(async () => {
  service = await startService()
  agent = await connectAgent(service.app, service.key)
  await service.post('/v1/records/structures', {
    name: 'Texts',
    fields: [
      { key: 'a', type: 'text' },
      { key: 'b', type: 'text' },
    ],
  })
})
afterAll(async () => {
  await agent.close()
  service.close()
})

const SETTINGS = { seed: 20261122, numRuns: runs(60, 1_000) }

/** Short and very long lines, with characters of every encoded length. */
const line = fc.oneof(
  fc.string({ maxLength: 40, unit: 'grapheme' }),
  fc.constantFrom('', '# Heading', 'the same line', '```', '… (+12 characters)'),
  fc.nat(3).chain((seed) => fc.constant(`${seed}é😀`.repeat(900 + seed))),
)
const body = fc
  .array(line, { minLength: 1, maxLength: 40 })
  .map((lines) => lines.join('\n').replaceAll('\0', ''))

const contentOf = async (id: string) => (await service.get(`/v1/notes/${id}`)).body.note.content as string

test('an edit with text from one page of a note leaves everything else byte for byte', async () => {
  const input = fc.record({
    body,
    from: fc.integer({ min: 1, max: 50 }),
    lines: fc.integer({ min: 1, max: 6 }),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    isEdit: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(input, async ({ body: content, from, lines, part, isEdit }) => {
      const { body: created } = await service.post('/v1/notes', { title: 'Property', content })
      const { id } = created.note
      const read = await agent.call('read_note', { note: id, from_line: from, max_lines: lines })
      const seen: string = read.data.content
      expect(content).toContain(seen)
      const old = seen.slice(Math.floor(part * seen.length)).replace(/^[\udc00-\udfff]/, '')
      const edit =
        isEdit && old !== '' ? { edits: [{ old_str: old, new_str: 'NEW' }] } : { append: { text: 'NEW' } }
      const result = await agent.call('edit_note', {
        note: id,
        ...edit,
        if_unchanged: read.data.note.updated_at,
      })
      const after = await contentOf(id)
      if (result.isError) expect(after).toBe(content)
      else if ('append' in edit) expect(after.startsWith(content) && after.endsWith('NEW')).toBe(true)
      else {
        const at = content.indexOf(old)
        expect(content.indexOf(old, at + 1)).toBe(-1)
        expect(after).toBe(`${content.slice(0, at)}NEW${content.slice(at + old.length)}`)
      }
    }),
    SETTINGS,
  )
})

test('a row written back from a table keeps every shortened value', async () => {
  const value = fc.oneof(
    fc.string({ maxLength: 50 }),
    fc.nat(3).map((seed) => `${seed} engine `.repeat(2_000 + seed)),
  )
  const rows = fc.array(fc.record({ a: value, b: value }), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(rows, async (data) => {
      const written = data.map(({ a, b }) => ({
        data: { a: a.replaceAll('\0', ''), b: b.replaceAll('\0', '') },
      }))
      const { body: created } = await service.post('/v1/records', { structure: 'Texts', rows: written })
      const ids: string[] = created.records.map(({ id }: { id: string }) => id)
      const filter = [{ field: 'id', op: 'in', value: ids }]
      const read = await agent.call('query_records', { structure: 'Texts', filter })
      for (const row of read.data.records) {
        const result = await agent.call('write_records', {
          structure: 'Texts',
          rows: [{ id: row.id, data: row.data, if_unchanged: row.updated_at }],
        })
        const { record } = (await service.get(`/v1/records/${row.id}`)).body
        expect(record.data).toEqual(written[ids.indexOf(row.id)]?.data)
        const isWhole = JSON.stringify(record.data) === JSON.stringify(row.data)
        expect(result.isError).toBe(!isWhole)
      }
    }),
    { ...SETTINGS, numRuns: SETTINGS.numRuns / 2 },
  )
})
