import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import fc from 'fast-check'
import type { OpenApiDocument } from '../../src/http/openapi/document.ts'
import type { Route } from '../../src/http/route-table.ts'
import { filled, makeSamples, type Samples } from '../contract/samples.ts'
import { isLong, runs } from '../support/counts.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let document: OpenApiDocument | undefined
let samples: Samples
beforeAll(renew)
afterAll(() => service.close())

/** A service with one object of every kind. */
async function renew(): Promise<void> {
  service = await startService()
  document ??= await service.app.openApi()
  samples = await makeSamples(service)
}

/** Whatever failed is in the log; a deletion leaves too little for the next requests to meet. */
async function renewAfterDeletion(): Promise<void> {
  expect(failures()).toEqual([])
  service.close()
  await renew()
}

const failures = () => service.logged().filter(({ level }) => level === 'error')

interface Sent {
  method: string
  path: string
  body: string | undefined
  headers: Record<string, string>
}

const STATUSES = new Set([200, 201, 202, 400, 401, 403, 404, 405, 409, 413, 429, 431])

/** Texts that have broken programs before. */
const nasty = fc.constantFrom(
  ...[
    '',
    ' ',
    '0',
    '-0',
    '-1',
    '1e400',
    '9007199254740993',
    'null',
    'true',
    '__proto__',
    'constructor',
    'toString',
  ],
  ...[
    '%',
    '%00',
    '%zz',
    '%ff',
    '%ed%a0%80',
    '%F0%9F%8D%B5',
    '..',
    '/',
    '//',
    '#',
    '?',
    '&',
    '=',
    '[]',
    '\\',
    '+',
  ],
  ...[
    '"',
    "'",
    '*',
    '-',
    '(',
    'NEAR(',
    'AND',
    'title:x',
    '"a',
    'a"*',
    '🍵',
    'ß',
    '\u0130',
    '中文',
    'ก่',
    '\u202e',
    '\ufeff',
  ],
  ...['2026-02-30', '0000-01-01', '2026-11-21T09:30:00.000Z', '+275760-09-13T00:00:00.001Z'],
)
const word = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 8 }), fc.string({ maxLength: 40 }))

const value: fc.Arbitrary<unknown> = fc.oneof(
  word,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, true, 0, -1, 1.5, 1e308, -0, 2 ** 53, [], {}, [null], [[]], [1, 'a'], {
    a: { b: [] },
  }),
  fc.array(word, { maxLength: 4 }),
)

const literal = fc.constantFrom(
  '{',
  '[',
  '"',
  'nul',
  '{"a":}',
  '{"title":"\\ud800"}',
  '{"__proto__":{"title":"x"}}',
  '\u0000',
  '[[[[',
)

const membersOf = (schema: TSchema | undefined): string[] => Object.keys(schema?.properties ?? {})

const often = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: rare })

interface Json {
  schema: TSchema
  example: object
}

/** What the document says of the body of a route; undefined when it takes none. */
function jsonOf({ method, pattern }: Route): Json | undefined {
  const operation = document?.paths[pattern.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
  return (operation?.requestBody as { content: Record<string, Json> } | undefined)?.content[
    'application/json'
  ]
}

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'DELETE', 'PATCH']
const HEADERS = [
  'idempotency-key',
  'content-type',
  'accept',
  'origin',
  'cookie',
  'range',
  'x-http-method-override',
]

/** Requests to every endpoint: known names with values they were not made for, and names nobody knows. */
const request: fc.Arbitrary<Sent> = fc
  .nat()
  .chain((pick) => {
    const route = service.app.routes[pick % service.app.routes.length]
    if (!route) throw new Error('the application has no routes')
    return fc.record({
      method: often(fc.constant(route.method), fc.constantFrom(...METHODS)),
      path: pathOf(route),
      body: often(bodyOf(jsonOf(route)), fc.oneof(literal, word)),
      headers: fc.dictionary(fc.constantFrom(...HEADERS), fc.string({ maxLength: 20 }), { maxKeys: 1 }),
    })
  })
  .map((sent) => (sent.method === 'GET' || sent.method === 'HEAD' ? { ...sent, body: undefined } : sent))

/** As a careless client encodes: percent signs and slashes stay. */
const encodeLoosely = (text: string) => encodeURI(text.toWellFormed()).replaceAll('%25', '%')

function pathOf(route: Route): fc.Arbitrary<string> {
  const path = filled(route.pattern.replace(/:(\w+)/g, '{$1}'), samples)
  const strange = route.pattern
    .split('/')
    .map((segment) => (segment.startsWith(':') ? word.map(encodeLoosely) : fc.constant(segment)))
  return fc
    .tuple(
      often(
        fc.constant(path),
        fc.tuple(...strange).map((parts) => parts.join('/')),
      ),
      queryOf(route),
    )
    .map(([target, query]) => (query === '' ? target : `${target}?${query}`))
}

function queryOf(route: Route): fc.Arbitrary<string> {
  const names = membersOf(route.query)
  const name = names.length > 0 ? often(fc.constantFrom(...names), word) : word
  const pair = fc.tuple(name, fc.oneof(word, fc.integer().map(String)))
  const pairs = fc.array(pair, { maxLength: names.length > 0 ? 2 : 1 })
  return often(names.length > 0 ? pairs : fc.constant<[string, string][]>([]), pairs).chain((chosen) =>
    fc
      .constantFrom(encodeLoosely, (text: string) => encodeURIComponent(text.toWellFormed()))
      .map((encode) => chosen.map(([left, right]) => `${encode(left)}=${encode(right)}`).join('&')),
  )
}

/** The documented example with a few members replaced: mostly known ones, so that it is often accepted. */
function bodyOf(json: Json | undefined): fc.Arbitrary<string | undefined> {
  if (!json) return fc.constant(undefined)
  const known = fc.dictionary(fc.constantFrom('title', ...membersOf(json.schema)), value, { maxKeys: 2 })
  const strange = fc.dictionary(word, value, { maxKeys: 3 })
  return often(known, strange).map((members) => JSON.stringify({ ...json.example, ...members }))
}

async function send({ method, path, body, headers }: Sent) {
  const headersSent = new Headers({ authorization: `Bearer ${service.key}` })
  for (const [name, text] of Object.entries(headers)) {
    if (/^[\x20-\x7e]*$/.test(text)) headersSent.set(name, text)
  }
  return service.app.fetch(new Request(`http://localhost${path}`, { method, headers: headersSent, body }))
}

/** A stream has no end to wait for. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text()
  await response.body?.cancel()
  return ''
}

describe('no request', () => {
  test(
    'makes the service fail, or answer without form',
    async () => {
      await fc.assert(
        fc.asyncProperty(request, async (sent) => {
          const response = await send(sent)
          const text = await textOf(response)
          expect([STATUSES.has(response.status), response.status]).toEqual([true, response.status])
          expect(response.headers.get('x-request-id')).toBeTruthy()
          if (sent.method === 'DELETE' && response.ok) await renewAfterDeletion()
          if (response.status < 400 || sent.method === 'HEAD') return
          expect(response.headers.get('content-type')).toStartWith('application/json')
          expect(JSON.parse(text)).toEqual({
            error: expect.stringMatching(/./),
            code: expect.stringMatching(/^[a-z_]+$/),
          })
        }),
        { numRuns: runs(800, 15_000), seed: isLong ? undefined : 20261121 },
      )
      expect(failures()).toEqual([])
    },
    isLong ? 600_000 : 60_000,
  )
})
