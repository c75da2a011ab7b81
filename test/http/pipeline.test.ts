import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { alter } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const tagged = async (name: string) => {
  const { body } = await service.post('/v1/notes', { title: 'Tea', tags: [name] })
  return body.note.id as string
}

describe('a path', () => {
  test.each([
    '/v1',
    '/v1/',
    '/v1//notes',
    '//v1/notes',
    '/v1/notes/',
    '/v1/Notes',
    '/v2/notes',
    '/v1/notes/a/b',
    '/v1/notes/%zz',
    '/v1/notes/%',
    '/v1/notes/%ff',
    '/v1/notes/%c3%28',
    '/v1/notes/%ed%a0%80',
    '/v1/notes/%zz/links',
    '/v1%2fme',
    '/docs/',
    '/docs/../package.json',
  ])('%s is unknown, with and without a key, and needs no key to be so', async (path) => {
    for (const key of [service.key, undefined, 'dbk_wrong']) {
      const { status, body } = await service.as(key).get(path)
      expect({ status, body }).toEqual({
        status: 404,
        body: { error: 'This service has no such path; see /docs for its paths.', code: 'not_found' },
      })
    }
  })

  test('/ leads to the application, with and without a key', async () => {
    for (const key of [service.key, undefined]) {
      const { status, headers } = await service.as(key).get('/')
      expect([status, headers.get('location')]).toEqual([302, '/app'])
    }
  })

  test('/ leads to the application whatever parameters the link to it has', async () => {
    const { status, headers } = await service.as(undefined).get('/?utm_source=x&limit=tea')
    expect([status, headers.get('location')]).toEqual([302, '/app'])
  })

  test.each([
    '%00',
    'trash%00',
    '..%2f..%2fetc',
    '🍵',
    "'; DROP TABLE notes; --",
    'a'.repeat(10_000),
    'ÿ',
    '%25zz',
  ])('with %p for an id is 404', async (id) => {
    const path = `/v1/notes/${id.startsWith('%') || id.includes('%') ? id : encodeURIComponent(id)}`
    for (const answer of [
      await service.get(path),
      await service.patch(path, {}),
      await service.delete(path),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    }
  })

  test('brings a percent-encoded name decoded once', async () => {
    const id = await tagged('50% & mehr/später')
    const answer = await service.delete(`/v1/notes/${id}/tags/${encodeURIComponent('50% & mehr/später')}`)
    expect([answer.status, answer.body.note.tags]).toEqual([200, []])
  })

  test('ends before a fragment', async () => {
    expect((await service.get('/v1/me#part')).status).toBe(200)
    expect((await service.get('/v1/notes?limit=1#part?limit=2')).status).toBe(200)
  })
})

describe('the order of checks', () => {
  test('is path, method, key, scope, form, existence', async () => {
    const read = service.as(await service.newKey({ scope: 'read' }))
    const nobody = service.as(undefined)
    const id = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'
    const codes = [
      await nobody.request('BREW', '/v1/teapot', '{'),
      await nobody.request('PUT', '/v1/notes?x=1', '{'),
      await nobody.request('PATCH', `/v1/notes/${id}?x=1`, '{'),
      await read.request('PATCH', `/v1/notes/${id}?x=1`, '{'),
      await service.request('PATCH', `/v1/notes/${id}?x=1`, '{}'),
      await service.request('PATCH', `/v1/notes/${id}`, '{'),
      await service.request('PATCH', `/v1/notes/${id}`, { colour: 1 }),
      await service.request('PATCH', `/v1/notes/${id}`, { title: 'Tea' }),
    ].map(({ status, body }) => `${status} ${body.code}`)
    expect(codes).toEqual([
      '404 not_found',
      '405 method_not_allowed',
      '401 unauthorized',
      '403 read_only_key',
      '400 invalid_request',
      '400 invalid_request',
      '400 invalid_request',
      '404 not_found',
    ])
  })
})

describe('HEAD', () => {
  test('responds like GET, without a body', async () => {
    await tagged('work')
    for (const path of [
      '/v1/me',
      '/v1/notes',
      '/v1/notes/nope',
      '/healthz',
      '/openapi.json',
      '/docs',
      '/nope',
    ]) {
      const get = await service.app.fetch(requestFor('GET', path))
      const head = await service.app.fetch(requestFor('HEAD', path))
      expect([path, head.status, await head.text()]).toEqual([path, get.status, ''])
      const length = (await get.arrayBuffer()).byteLength
      expect([path, head.headers.get('content-length')]).toEqual([path, String(length)])
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    }
  })

  test('is refused without a key, and on a path that has no GET', async () => {
    expect((await service.as(undefined).request('HEAD', '/v1/me')).status).toBe(401)
    const answer = await service.request('HEAD', '/v1/notes/x/append')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })

  const requestFor = (method: string, path: string) =>
    new Request(`http://localhost${path}`, { method, headers: { authorization: `Bearer ${service.key}` } })
})

describe('a URL', () => {
  test('may be long in its path too', async () => {
    expect((await service.get(`/v1/notes/${'a'.repeat(60_000)}`)).status).toBe(404)
    expect((await service.get(`/v1/notes/${'a'.repeat(66_000)}`)).status).toBe(431)
  })
})

describe('while the server stops', () => {
  test('every request gets 503, including the health check', async () => {
    expect((await service.as(undefined).get('/healthz')).body).toEqual({ status: 'ok' })
    service.app.stop()
    for (const path of ['/healthz', '/v1/me', '/nope', '/docs']) {
      const { status, body } = await service.get(path)
      expect([path, status, body.code]).toEqual([path, 503, 'unavailable'])
    }
    expect((await service.post('/v1/notes', { title: 'late' })).status).toBe(503)
  })
})

describe('request ids', () => {
  test('differ, and are in the response and in the log, whatever the response is', async () => {
    const answers = [
      await service.get('/v1/me'),
      await service.get('/nope'),
      await service.as(undefined).get('/v1/me'),
      await service.as(undefined).get('/docs'),
      await service.post('/v1/notes', '{'),
    ]
    const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '')
    expect(new Set(ids).size).toBe(answers.length)
    const lines = service.logged().filter(({ message }) => message === 'request')
    expect(lines.map(({ request_id }) => request_id)).toEqual(ids)
  })

  test('are generated by the server: one that a caller sends is ignored', async () => {
    const { headers } = await service.request('GET', '/v1/me', undefined, { 'x-request-id': 'mine' })
    expect(headers.get('x-request-id')).not.toBe('mine')
  })
})

describe('a log line', () => {
  test('names who did what and how it ended, and nothing of its content', async () => {
    const { body } = await service.get('/v1/me')
    await service.post('/v1/notes', { title: 'confidential title', tags: ['confidential'] })
    await service.get('/v1/notes?search=confidential')
    await service.get('/v1/notes/confidential?confidential=1')
    await service.as('dbk_confidential').get('/v1/notes')
    await service.get('/confidential')
    const lines = service.logged().filter(({ message }) => message === 'request')
    const lineOf = (method: string, route: string | null, status: number, keyId: string | null) => ({
      time: '2026-11-21T09:30:00.000Z',
      level: 'info',
      message: 'request',
      request_id: expect.any(String),
      method,
      route,
      status,
      ms: expect.any(Number),
      key_id: keyId,
    })
    const key = body.key.id
    expect(lines).toEqual([
      lineOf('GET', '/v1/me', 200, key),
      lineOf('POST', '/v1/notes', 201, key),
      lineOf('GET', '/v1/notes', 200, key),
      lineOf('GET', '/v1/notes/:id', 400, key),
      lineOf('GET', '/v1/notes', 401, null),
      lineOf('GET', null, 404, null),
    ])
    expect(JSON.stringify(service.logged())).not.toContain('confidential')
    expect(JSON.stringify(service.logged())).not.toContain(service.key)
  })

  test('about a failure names it without the values that were bound', async () => {
    await alter(service, 'ALTER TABLE note_bodies RENAME TO lost')
    const { status, headers, body } = await service.post('/v1/notes', { title: 'confidential' })
    const requestId = headers.get('x-request-id')
    expect({ status, body }).toEqual({
      status: 500,
      body: {
        error: `The service failed; include the request id ${requestId} when you report it.`,
        code: 'internal',
      },
    })
    const failure = service.logged().find(({ level }) => level === 'error')
    expect(failure).toEqual({
      time: expect.any(String),
      level: 'error',
      message: 'request failed',
      request_id: requestId,
      error: 'no such table: note_bodies',
      stack: expect.stringContaining(' at '),
    })
    expect(JSON.stringify(service.logged())).not.toContain('confidential')
  })
})
