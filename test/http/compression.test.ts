import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { acceptedCoding } from '../../src/lib/content-coding.ts'
import { startService, type TestService } from '../support/service.ts'

/* Compressed responses (RFC 9110, section 12.5.3). */

let service: TestService
let key: string | undefined
let note: { id: string }

beforeAll(async () => {
  service = await startService()
  key = service.key
  note = (await service.post('/v1/notes', { title: 'Long', content: 'word '.repeat(1_000) })).body.note
  for (let at = 0; at < 30; at++)
    await service.post('/v1/notes', { title: `Note ${at}`, content: 'word '.repeat(20) })
})
afterAll(() => service.close())

/** Sends a request and returns the response with its bytes, uncompressed by the test alone. */
async function get(path: string, accepted?: string, init: RequestInit = {}) {
  const headers = new Headers({ authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) })
  if (accepted !== undefined) headers.set('accept-encoding', accepted)
  const response = await service.app.fetch(new Request(`http://localhost${path}`, { ...init, headers }))
  const sent = new Uint8Array(await response.arrayBuffer())
  const coding = response.headers.get('content-encoding')
  const bytes = coding === 'zstd' ? Bun.zstdDecompressSync(sent) : coding === 'gzip' ? gunzipSync(sent) : sent
  return { response, coding, size: sent.length, text: new TextDecoder().decode(bytes) }
}

const vary = (response: Response) => response.headers.get('vary') ?? ''

describe('the coding', () => {
  test.each([
    ['zstd, gzip', 'zstd'],
    ['gzip, zstd', 'zstd'],
    ['gzip', 'gzip'],
    ['GZIP;Q=0.5, br', 'gzip'],
    ['gzip;q=0.9, zstd;q=0.8', 'gzip'],
    ['zstd;q=0, gzip', 'gzip'],
    ['zstd;q=0, gzip;q=0.000', undefined],
    ['*', 'zstd'],
    ['*;q=0', undefined],
    ['zstd;q=0, *', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['br, deflate', undefined],
    ['', undefined],
    ['gzip;q=2', 'gzip'],
    ['x-gzip;;,,', undefined],
  ] as const)('of "%s" is %p', (header, coding) => {
    expect(acceptedCoding(header)).toBe(coding)
  })
})

describe.each(['zstd', 'gzip'])('with %s', (coding) => {
  test.each([
    ['a list', () => '/v1/notes?limit=50'],
    ['one note', () => `/v1/notes/${note.id}`],
    ['the snapshot of a workspace', () => '/v1/changes/snapshot'],
    ['the OpenAPI document', () => '/openapi.json'],
    ['a page of the guide', () => '/docs/guide'],
    ['a script', () => '/docs/viewer.js'],
  ])('%s is the same after decompression, and smaller', async (_, path) => {
    const plain = await get(path())
    expect([plain.coding, vary(plain.response)]).toEqual([null, 'Accept-Encoding'])
    const found = await get(path(), coding)
    expect([found.coding, vary(found.response)]).toEqual([coding, 'Accept-Encoding'])
    expect(found.text).toBe(plain.text)
    expect(found.size).toBeLessThan(plain.size / 2)
    expect(found.response.headers.get('content-type')).toBe(plain.response.headers.get('content-type'))
  })

  test('the entity tag names the coding, and is accepted', async () => {
    const path = `/v1/notes/${note.id}`
    const plain = (await get(path)).response.headers.get('etag') ?? ''
    const tag = (await get(path, coding)).response.headers.get('etag') ?? ''
    expect(tag).toBe(`${plain.slice(0, -1)}-${coding}"`)
    const again = await get(path, coding, { headers: { 'If-None-Match': tag } })
    expect([again.response.status, again.size, vary(again.response)]).toEqual([304, 0, 'Accept-Encoding'])
  })

  test('a response over 1 MiB is whole', async () => {
    const { id } = (await service.post('/v1/notes', { title: 'Huge', content: 'é'.repeat(900_000) })).body
      .note
    const plain = await get(`/v1/notes/${id}`)
    const found = await get(`/v1/notes/${id}`, coding)
    expect(found.coding).toBe(coding)
    expect(found.text === plain.text).toBe(true)
  })

  test('secrets, small bodies, HEAD, files and event streams are not compressed', async () => {
    const body = JSON.stringify({ url: `https://hooks.example.com/${'x'.repeat(1_200)}`, kind: 'note' })
    const posted = { method: 'POST', body, headers: { 'Content-Type': 'application/json' } }
    const webhook = await get('/v1/webhooks', coding, posted)
    expect(webhook.response.status).toBe(201)
    expect(webhook.size).toBeGreaterThan(1_024)
    expect(webhook.coding).toBeNull()
    expect((await get('/v1/me', coding)).coding).toBeNull()
    const head = await get(`/v1/notes/${note.id}`, coding, { method: 'HEAD' })
    expect([head.coding, head.size]).toEqual([null, 0])
  })
})

test('the size of a body is counted in bytes', async () => {
  const { id } = (await service.post('/v1/notes', { title: 'Bytes', content: '日本語'.repeat(150) })).body
    .note
  const plain = await get(`/v1/notes/${id}`)
  expect([plain.text.length < 1_024, plain.size > 1_024]).toEqual([true, true])
  const found = await get(`/v1/notes/${id}`, 'zstd')
  expect([found.coding, found.text]).toEqual(['zstd', plain.text])
})

test('a client that leaves a compressed stream at any moment harms nobody', async () => {
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'gzip' }
  for (let reads = 0; reads < 4; reads++) {
    const response = await service.app.fetch(new Request('http://localhost/v1/changes/snapshot', { headers }))
    const reader = response.body?.getReader()
    const pending = Array.from({ length: reads }, () => reader?.read())
    await reader?.cancel()
    await Promise.allSettled(pending)
  }
  expect((await get('/v1/me')).response.status).toBe(200)
})

test('a stream sends what it has before it waits for more', async () => {
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'zstd' }
  const response = await service.app.fetch(new Request('http://localhost/v1/changes/snapshot', { headers }))
  const reader = response.body?.pipeThrough(new DecompressionStream('zstd' as 'gzip')).getReader()
  const { value } = (await reader?.read()) ?? {}
  expect(new TextDecoder().decode(value)).toStartWith('{')
  await reader?.cancel()
})
