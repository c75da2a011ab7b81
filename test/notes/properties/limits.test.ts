import { afterEach, beforeEach, expect, test } from 'bun:test'
import { alter, statementsIn } from '../../support/database.ts'
import { makeNote } from '../../support/notes.ts'
import { startService, type TestService } from '../../support/service.ts'

/*
 * A change of properties is read and written in one step, so calls and notes have a limit on the properties they name.
 */

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

/** Reads the options one by one, for the sentence that names them. */
const OPTIONS = /json_each\(\(SELECT options FROM properties WHERE pk = \?\)\)$/

const define = (key: string, type: string, more = {}) =>
  service.post('/v1/properties', { key, type, ...more })

const propertiesOf = async (id: string) => (await service.get(`/v1/notes/${id}/properties`)).body.properties

/** Counts statements that read a property definition. */
const lookUps = async (action: () => Promise<unknown>): Promise<number> =>
  (await statementsIn(service, action)).filter((text) => text.includes('FROM properties')).length

test('one property in a thousand spellings is refused at the second, before the others are looked up', async () => {
  await define('abcdefghij', 'select', { options: ['open'] })
  const spelled = (at: number) =>
    [...'abcdefghij'].map((letter, bit) => ((at >> bit) & 1 ? letter.toUpperCase() : letter)).join('')
  const values = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [spelled(at), 'open']))
  const { id } = await makeNote(service)
  let refusal: Awaited<ReturnType<TestService['patch']>> | undefined
  const count = await lookUps(async () => {
    refusal = await service.patch(`/v1/notes/${id}/properties`, values)
  })
  expect(refusal).toMatchObject({
    status: 400,
    body: {
      code: 'refused',
      error: 'One property is named twice in different spelling; name it once.',
    },
  })
  expect(count).toBeLessThan(5)
  expect(await propertiesOf(id)).toEqual({})
})

test('the options of a select are read for a refusal alone, which names them', async () => {
  const options = ['open', '","', 'do"ne']
  await define('state', 'select', { options })
  const { id } = await makeNote(service)
  const statements = await statementsIn(service, async () => {
    for (const state of options)
      expect(await service.patch(`/v1/notes/${id}/properties`, { state })).toMatchObject({ status: 200 })
    const preset = { name: 'p', properties: [{ key: 'state', value: 'open' }] }
    expect((await service.post('/v1/presets', preset)).status).toBe(201)
    const applied = await service.post('/v1/presets/p/apply', { note_id: id, overwrite: true })
    expect(applied.body.properties).toEqual({ state: 'open' })
  })
  expect(statements.filter((text) => OPTIONS.test(text))).toEqual([])
  const { body } = await service.patch(`/v1/notes/${id}/properties`, { state: ',' })
  expect(body).toEqual({
    error: 'The property "state" must be one of "open", "","" and "do"ne".',
    code: 'refused',
  })
})

test('a note holds at most 1,000 properties; a refusal changes none', async () => {
  await alter(
    service,
    `WITH RECURSIVE n (value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value < 1000)
     INSERT INTO properties (id, workspace, key, type, position, is_pinned, created_at, updated_at)
     SELECT 'property ' || value, (SELECT pk FROM workspaces), 'p' || value, 'number', value, 0, 0, 0 FROM n`,
  )
  const valuesOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, at]))
  const tooMany = (what: string) => ({
    error: `${what} at most 1,000 properties; leave some out.`,
    code: 'refused',
  })
  const created = await service.post('/v1/notes', { title: 'Too many', properties: valuesOf(1_001) })
  expect(created).toMatchObject({
    status: 201,
    body: { properties: {}, properties_error: tooMany('One call sets') },
  })
  const { id } = await makeNote(service, { properties: valuesOf(1_000) })
  const path = `/v1/notes/${id}/properties`
  expect(await service.patch(path, { p0: 7, p1000: 1 })).toMatchObject({
    status: 400,
    body: tooMany('A note holds'),
  })
  expect(await propertiesOf(id)).toEqual(valuesOf(1_000))
  expect((await service.patch(path, { p0: null, p1000: 1 })).status).toBe(200)
})

test('the properties of a note hold at most 8 MiB together; one that holds more may be given less', async () => {
  await define('a', 'json')
  await define('b', 'json')
  const mebibytes = (count: number) => 'x'.repeat(count * 1024 * 1024)
  const { id } = await makeNote(service)
  const path = `/v1/notes/${id}/properties`
  expect((await service.patch(path, { a: mebibytes(5) })).status).toBe(200)
  const refusal = {
    error: 'The properties of a note hold at most 8 MiB together; send shorter values.',
    code: 'refused',
  }
  expect(await service.patch(path, { b: mebibytes(4) })).toMatchObject({ status: 400, body: refusal })
  expect((await service.patch(path, { b: mebibytes(2) })).status).toBe(200)
  await alter(service, 'UPDATE note_properties SET value = ?', JSON.stringify(mebibytes(9)))
  expect((await service.patch(path, { a: mebibytes(8) })).status).toBe(200)
  expect(Object.keys((await service.patch(path, { b: null })).body.properties)).toEqual(['a'])
})

test('the options of a select hold at most 100,000 characters together', async () => {
  const options = Array.from({ length: 201 }, (_, at) => `${at}`.padEnd(500, 'x'))
  const refusal = {
    status: 400,
    body: {
      error: '"options" hold more than 100,000 characters together; send fewer or shorter ones.',
      code: 'invalid_request',
    },
  }
  expect(await define('state', 'select', { options })).toMatchObject(refusal)
  expect((await define('state', 'select', { options: options.slice(1) })).status).toBe(201)
  expect(await service.patch('/v1/properties/state', { options })).toMatchObject(refusal)
})
