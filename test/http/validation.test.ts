import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startService, type TestService } from '../support/service.ts'

const KNOWN = 'known: search, match, tag, sort, direction, content, excerpt, limit, offset, cursor, total.'

let service: TestService
beforeAll(async () => {
  service = await startService()
  for (const title of ['one', 'two', 'three']) await service.post('/v1/notes', { title })
})
afterAll(() => service.close())

const list = async (query: string) => {
  const { status, body } = await service.get(`/v1/notes?${query}`)
  return status === 200 ? body.notes.length : { status, ...body }
}
const refusal = (error: string) => ({ status: 400, error, code: 'invalid_request' })

describe('a query', () => {
  test.each([
    ['limit=2', 2],
    ['limit=02', 2],
    ['limit=200', 3],
    ['offset=1', 2],
    ['offset=-0', 3],
    ['offset=9007199254740991', 0],
    ['', 3],
    ['&', 3],
    ['&&limit=2&', 2],
    ['l%69mit=2', 2],
    ['limit=%32', 2],
    ['search=t%77o', 1],
    ['search=two+', 1],
    ['tag=', 0],
  ])('%p answers %p', async (query, expected) => {
    expect(await list(query)).toBe(expected)
  })

  test.each([
    ...[
      '0',
      '201',
      '-1',
      '',
      '1.0',
      '1e1',
      '0x10',
      ' 1',
      '1+',
      '+1',
      '%201',
      '١',
      'ten',
      '99999999999999999999',
    ].map((value) => [`limit=${value}`, 'The query parameter "limit" must be an integer from 1 to 200.']),
    ['limit', 'The query parameter "limit" must be an integer from 1 to 200.'],
    ...['-1', '1.5', '', '9007199254740993', 'x'].map((value) => [
      `offset=${value}`,
      'The query parameter "offset" must be an integer of 0 or more.',
    ]),
    ['sort=', 'The query parameter "sort" must be one of "created_at", "updated_at", "edited_at", "title".'],
    [
      'sort=Title',
      'The query parameter "sort" must be one of "created_at", "updated_at", "edited_at", "title".',
    ],
    ['search=', 'The query parameter "search" must be a text of 1 to 500 characters.'],
    ['limit=1&limit=1', 'The query parameter "limit" is given twice; give it once.'],
    ['limit=1&l%69mit=2', 'The query parameter "limit" is given twice; give it once.'],
    ['x=1&x=2', 'The query parameter "x" is given twice; give it once.'],
    ['limmit=1', `The query parameter "limmit" is not known here; ${KNOWN} Did you mean "limit"?`],
    ['=1', `The query parameter "" is not known here; ${KNOWN}`],
    ['__proto__=1', `The query parameter "__proto__" is not known here; ${KNOWN}`],
    ['constructor=1', `The query parameter "constructor" is not known here; ${KNOWN}`],
    ['limit[]=1', `The query parameter "limit[]" is not known here; ${KNOWN}`],
    ['a~1b=1', `The query parameter "a~1b" is not known here; ${KNOWN}`],
    ['0=1', `The query parameter "0" is not known here; ${KNOWN}`],
    ['limit=0&typo=1', `The query parameter "typo" is not known here; ${KNOWN}`],
    ['search=%00', 'The query parameter "search" holds a NUL character.'],
    ['access_token=x', `The query parameter "access_token" is not known here; ${KNOWN}`],
    ...['%', '%z', '%zz', '%ff', '%c3', '%c3%28', '%ed%a0%80', '%f8%88%80%80%80'].map((value) => [
      `search=${value}`,
      'The query holds malformed percent-encoding or UTF-8; encode it again.',
    ]),
    ['%zz=1', 'The query holds malformed percent-encoding or UTF-8; encode it again.'],
  ])('%p is refused', async (query, sentence) => {
    expect(await list(query)).toEqual(refusal(sentence))
  })

  test('is strict also where an endpoint takes none', async () => {
    for (const path of ['/v1/me', '/v1/tags', '/healthz', '/docs']) {
      const { status, body } = await service.get(`${path}?x=1`)
      expect({ status, ...body }).toEqual(refusal('The query parameter "x" is not known here; leave it out.'))
    }
    const { body } = await service.get('/openapi.json?x=1')
    expect(body.error).toBe('The query parameter "x" is not known here; known: webhooks.')
    expect((await service.get('/v1/me?')).status).toBe(200)
  })
})

describe('what may be null, and is neither null nor right', () => {
  const view = (columns: unknown) => ['/v1/records/views', { structure: 'None', name: 'x', columns }] as const
  const due = (value: unknown) => ['/v1/webhooks', { url: 'https://receiver.example', due: value }] as const

  test.each([
    ['"columns" must be a list of at most 100 entries, or null.', ...view(4)],
    ['"columns" must be a list of at most 100 entries, or null.', ...view({})],
    ['"columns" must be a list of at most 100 entries, or null.', ...view(Array(101).fill({ key: 'n' }))],
    ['"columns[0].width" must be an integer from 40 to 2,000.', ...view([{ key: 'n', width: 39 }])],
    ['"columns[1].wide" is not known here; known: key, width.', ...view([{}, { wide: 1 }])],
    ['"due" must be an object, or null.', ...due([])],
    ['"due.field" is required.', ...due({})],
    ['"due.offset_days" must be an integer from -365 to 365.', ...due({ field: 'on', offset_days: 366 })],
    ['"due.offset" is not known here; known: field, offset_days, at, tz.', ...due({ offset: 1 })],
  ])('is refused: %s', async (error, path, body) => {
    const { status, body: response } = await service.post(path, body)
    expect({ status, ...response }).toEqual(refusal(error))
  })
})
