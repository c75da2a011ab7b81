import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { alter } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'

/* Problem details (RFC 9457), which a request asks for by media type. */

const PROBLEM = 'application/problem+json'

let service: TestService
let stopped: TestService
beforeAll(async () => {
  service = await startService()
  stopped = await startService()
  stopped.app.stop()
  await service.post('/v1/records/structures', {
    name: 'Expenses',
    fields: [
      { key: 'what', type: 'text', required: true, unique: true },
      { key: 'amount', type: 'number', min: 0 },
    ],
  })
  await service.post('/v1/records', { structure: 'Expenses', data: { what: 'Paper' } })
})
afterAll(() => {
  service.close()
  stopped.close()
})

type Sent = readonly [
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string> | undefined,
]

async function problem([method, path, body, headers]: Sent, accept = PROBLEM, from = service) {
  const answer = await from.request(method, path, body, { accept, ...headers })
  const text = typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body
  return { ...answer, type: answer.headers.get('content-type'), body: text }
}

const rows = (...data: object[]) => ({ structure: 'Expenses', rows: data.map((one) => ({ data: one })) })
const view = (filter: unknown) => ({ name: 'New', filter })

const PLACES: readonly (readonly [pointer: string | undefined, ...Sent])[] = [
  ['#/title', 'POST', '/v1/notes', {}],
  ['#/titel', 'POST', '/v1/notes', { title: 'Tea', titel: 'Tee' }],
  ['#/tags/1', 'POST', '/v1/notes', { title: 'Tea', tags: ['a', 1] }],
  ['#/a~1b~0c%20%C3%A9', 'POST', '/v1/notes', { title: 'x', 'a/b~c é': 1 }],
  ['#/if_unchanged', 'POST', '/v1/changes/apply', { changes: [], if_unchanged: 1 }],
  [undefined, 'POST', '/v1/notes', [1]],
  [undefined, 'POST', '/v1/notes', '{'],
  [undefined, 'POST', '/v1/notes'],
  ['#/query/limit', 'GET', '/v1/notes?limit=0'],
  ['#/query/limmit', 'GET', '/v1/notes?limmit=1'],
  ['#/query/limit', 'GET', '/v1/notes?limit=1&limit=2'],
  ['#/query/a~1b%20c', 'GET', '/v1/notes?a%2Fb%20c=2'],
  ['#/data/amount', 'POST', '/v1/records', { structure: 'Expenses', data: { what: 'Ink', amount: 'x' } }],
  ['#/data/what', 'POST', '/v1/records', { structure: 'Expenses', data: {} }],
  ['#/data/what', 'POST', '/v1/records', { structure: 'Expenses', data: { what: 'Paper' } }],
  [
    '#/rows/2/data/amount',
    'POST',
    '/v1/records',
    rows({ what: 'a' }, { what: 'b' }, { what: 'c', amount: -1 }),
  ],
  ['#/rows/1/data/what', 'POST', '/v1/records', rows({ what: 'a' }, {})],
  ['#/rows/1/data/what', 'POST', '/v1/records', rows({ what: 'a' }, { what: 'a' })],
  ['#/rows/0/data/amonut', 'POST', '/v1/records', rows({ what: 'a', amonut: 1 })],
  ['#/query/filter', 'GET', '/v1/records?structure=Expenses&filter=[{"field":"amount","op":"is","value":1}]'],
  ['#/query/filter', 'GET', '/v1/records?structure=Expenses&filter=[{"field":"no","op":"eq","value":1}]'],
  ['#/query/sort', 'GET', '/v1/records?structure=Expenses&sort=no'],
  ['#/query/structure', 'GET', '/v1/records'],
  [
    '#/filter/children/1/op',
    'POST',
    '/v1/views',
    view(group(group(), { type: 'property', def_id: 'x', op: 'like' })),
  ],
  [
    '#/fields/0/min',
    'POST',
    '/v1/records/structures',
    { name: 'T', fields: [{ key: 'a', type: 'bool', min: 1 }] },
  ],
  ['#/label_field', 'POST', '/v1/records/structures', { name: 'T', fields: [], label_field: 'no' }],
  ['#/name', 'POST', '/v1/records/structures', { name: 'expenses', fields: [] }],
  ['#/url', 'POST', '/v1/webhooks', { kind: 'note', url: 'ftp://x.example' }],
  ['#/changes/0/data', 'POST', '/v1/changes/apply', { changes: [{ kind: 'note', op: 'created', id: ID() }] }],
]

function group(...children: object[]) {
  return { type: 'group', match: 'all', children }
}

function ID() {
  return Bun.randomUUIDv7()
}

describe('the place to blame is a pointer into what was sent', () => {
  test.each(PLACES.map(([pointer, ...sent]) => [pointer ?? 'none', sent] as const))(
    '%s: %j',
    async (shown, sent) => {
      const pointer = shown === 'none' ? undefined : shown
      const { status, type, body: details } = await problem(sent)
      expect(type).toBe(PROBLEM)
      expect(details).toEqual({
        type: 'about:blank',
        title: expect.stringMatching(/^[A-Z]/),
        status,
        detail: expect.any(String),
        code: expect.any(String),
        errors: pointer === undefined ? [] : [{ detail: expect.any(String), pointer }],
      })
    },
  )
})

test('an entry about a row omits what its pointer names', async () => {
  const { body } = await problem(['POST', '/v1/records', rows({ what: 'Ink', amount: 'x' })])
  expect(body.detail).toBe('Row 1: The field "amount" must be a finite number.')
  expect(body.errors[0].detail).toBe('The field "amount" must be a finite number.')
})

describe('every error has both forms', () => {
  const ERRORS: readonly (readonly [status: number, title: string, from: () => TestService, ...Sent])[] = [
    [401, 'Unauthorized', () => service, 'GET', '/v1/me', undefined, { authorization: 'Bearer no' }],
    [404, 'Not Found', () => service, 'GET', '/nowhere'],
    [404, 'Not Found', () => service, 'GET', '/v1/notes/none'],
    [405, 'Method Not Allowed', () => service, 'PUT', '/v1/me'],
    [413, 'Payload Too Large', () => service, 'POST', '/v1/notes', `"${'x'.repeat(10_500_000)}"`],
    [431, 'Request Header Fields Too Large', () => service, 'GET', `/v1/notes?search=${'x'.repeat(70_000)}`],
    [503, 'Service Unavailable', () => stopped, 'GET', '/v1/me'],
  ]

  test.each(ERRORS.map(([status, title, from, ...sent]) => [status, title, from, sent] as const))(
    '%i %s',
    async (status, title, from, sent) => {
      const plain = await problem(sent, '*/*', from())
      const asked = await problem(sent, 'application/json, Application/Problem+JSON;q=0.5', from())
      expect([plain.status, plain.type]).toEqual([status, 'application/json;charset=utf-8'])
      expect(Object.keys(plain.body)).toEqual(['error', 'code'])
      expect([asked.status, asked.type]).toEqual([status, PROBLEM])
      const { error: detail, code } = plain.body
      expect(asked.body).toEqual({ type: 'about:blank', title, status, detail, code, errors: [] })
      for (const name of ['allow', 'www-authenticate', 'x-content-type-options', 'cache-control'])
        expect(asked.headers.get(name)).toBe(plain.headers.get(name))
    },
  )

  test('500', async () => {
    const failing = await startService()
    await alter(failing, 'ALTER TABLE quick_access RENAME TO elsewhere')
    const { status, type, body } = await problem(['GET', '/v1/quick-access'], PROBLEM, failing)
    expect([status, type, body.code, body.errors]).toEqual([500, PROBLEM, 'internal', []])
    failing.close()
  })
})

test.each([
  'application/*',
  'application/problem+json;q=0',
  'application/problem+json; q=0.0',
  'text/html',
  '',
])('Accept: %s does not ask for problem details', async (accept) => {
  const { type, body } = await problem(['GET', '/nowhere'], accept)
  expect([type, Object.keys(body)]).toEqual(['application/json;charset=utf-8', ['error', 'code']])
})

test('a success is what it is without', async () => {
  const { status, type } = await problem(['GET', '/v1/me'])
  expect([status, type]).toEqual([200, 'application/json;charset=utf-8'])
})
