import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { NoteOperator } from '../../src/filter/operators.ts'
import type { FilterTree } from '../../src/filter/tree/parse.ts'
import { makeNote } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

/** More distinct values than the number that is tested one by one. */
const MANY_VALUES = 300

let service: TestService
let text: string
let json: string
beforeEach(async () => {
  service = await startService()
  const define = async (type: string) =>
    (await service.post('/v1/properties', { key: type, type })).body.property.id
  text = await define('text')
  json = await define('json')
})
afterEach(() => service.close())

const whose = (def_id: string, op: NoteOperator, value: unknown): FilterTree => ({
  type: 'property',
  def_id,
  op,
  value,
})

async function found(filter: unknown): Promise<string[]> {
  const { status, body } = await service.post('/v1/notes/query', { filter })
  expect(status).toBe(200)
  return body.notes.map(({ title }: { title: string }) => title)
}

describe('long values', () => {
  test('are looked through for the whole of a long passage, not for its beginning or end alone', async () => {
    for (let at = 0; at < MANY_VALUES; at++)
      await makeNote(service, { properties: { text: `${at}`, json: [at] } })
    const long = 'Very long passage '.repeat(10)
    const faces = '😀'.repeat(50)
    await makeNote(service, { title: 'right', properties: { text: `${long}END`, json: { [faces]: long } } })
    const wrong = { text: `${long}and more than END`, json: { [`${faces}!`]: `${long}!`, [long]: faces } }
    await makeNote(service, { title: 'wrong', properties: wrong })
    const passage = `${long}end`
    for (const op of ['contains', 'starts_with', 'ends_with'] as const)
      expect([op, await found(whose(text, op, passage))]).toEqual([op, ['right']])
    expect(await found(whose(text, 'ends_with', passage.slice(100)))).toEqual(['right'])
    expect(await found(whose(text, 'ends_with', `x${passage}`))).toEqual([])
    expect(await found(whose(json, 'has_key', faces))).toEqual(['right'])
    expect(await found(whose(json, 'contains', { [faces]: long }))).toEqual(['right'])
  })
})
