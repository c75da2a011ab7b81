import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { measureProcessorTime } from '../support/processor-time.ts'
import { type Answer, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const MEBIBYTE = 1024 * 1024
const NO_OBJECT = 'The body must be a JSON object.'
const KNOWN = 'known: title, content, tags, alias, aliases, cover_url, properties, preset, answers, tz.'
const NOT_JSON = 'The body is not valid JSON.'

const send = async (
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Record<string, string> = {},
): Promise<Response> =>
  service.app.fetch(
    new Request('http://localhost/v1/notes', {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, ...headers },
      body,
    }),
  )

const refusalOf = async (response: Response) => {
  expect(response.status).toBe(400)
  const { error, code } = (await response.json()) as { error: string; code: string }
  expect(code).toBe('invalid_request')
  return error
}

const titleIn = async (response: Response) =>
  ((await response.json()) as { note?: { title: string } }).note?.title

const noteCount = async () => (await service.get('/v1/notes')).body.total

const sentenceOf = ({ status, body }: Answer) => (status === 400 ? body.error : status)

describe('a body', () => {
  test.each([
    ['', 'A JSON object is required as the body of this request.'],
    [' ', NOT_JSON],
    ['{', NOT_JSON],
    ['{"title": "x"} x', NOT_JSON],
    ["{'title': 'x'}", NOT_JSON],
    ['{"title": "x",}', NOT_JSON],
    ['{"title": NaN}', NOT_JSON],
    ['title=x', NOT_JSON],
    ['null', NO_OBJECT],
    ['true', NO_OBJECT],
    ['0', NO_OBJECT],
    ['"{}"', NO_OBJECT],
    ['[{"title": "x"}]', NO_OBJECT],
    ['{}', '"title" is required.'],
    ['{"title": null}', '"title" must be a text of 1 to 500 characters without control characters.'],
    ['{"title": 1}', '"title" must be a text of 1 to 500 characters without control characters.'],
    ['{"Title": "x"}', `"Title" is not known here; ${KNOWN} Did you mean "title"?`],
    ['{"title": "", "typo": 1}', `"typo" is not known here; ${KNOWN}`],
    ['{"title": "x", "": 1}', `"" is not known here; ${KNOWN}`],
    ['{"title": "x", "0": 1}', `"0" is not known here; ${KNOWN}`],
    ['{"title": "x", "a/b~c": 1}', `"a/b~c" is not known here; ${KNOWN}`],
    ['{"title": "x", "__proto__": {}}', `"__proto__" is not known here; ${KNOWN}`],
    ['{"title": "x", "__proto__": null}', `"__proto__" is not known here; ${KNOWN}`],
    ['{"title": "x", "constructor": 1}', `"constructor" is not known here; ${KNOWN}`],
    ['{"title": "x", "toString": 1}', `"toString" is not known here; ${KNOWN}`],
    ['{"__proto__": {"title": "x"}}', `"__proto__" is not known here; ${KNOWN}`],
    ['{"title": "x", "tags": "work"}', '"tags" must be a list of at most 100 entries.'],
    ['{"title": "x", "tags": {"length": 1}}', '"tags" must be a list of at most 100 entries.'],
    [
      '{"title": "x", "tags": ["a", 1]}',
      '"tags[1]" must be a tag name: 1 to 100 characters, no comma, no control character.',
    ],
    ['{"title": "x", "properties": []}', '"properties" must be an object.'],
    ['{"title": "a\\u0000b"}', 'The body holds a NUL character, which texts cannot contain.'],
    ['{"title": "x", "content": "\\ud800"}', 'The body holds a lone surrogate, which texts cannot contain.'],
    [
      '{"title": "x", "content": "\\udc00\\ud800"}',
      'The body holds a lone surrogate, which texts cannot contain.',
    ],
    [
      '{"title": "x", "properties": {"a\\u0000": 1}}',
      'The body holds a NUL character, which texts cannot contain.',
    ],
    [
      '{"title": "x", "properties": {"a": {"\\udfff": [1]}}}',
      'The body holds a lone surrogate, which texts cannot contain.',
    ],
    [
      '{"title": "x", "properties": {"a": [["\\u0000"]]}}',
      'The body holds a NUL character, which texts cannot contain.',
    ],
  ])('%p is refused', async (body, sentence) => {
    expect(await refusalOf(await send(body))).toBe(sentence)
    expect(await noteCount()).toBe(0)
  })

  test.each([
    ['{"title": "\\ud83c\\udf75"}', '🍵'],
    ['{"title": "\\uD83C\\uDF75 tea"}', '🍵 tea'],
    ['\n\t {"title": "x"} \r\n', 'x'],
    ['{"title": "first", "title": "last"}', 'last'],
    ['\ufeff{"title": "marked"}', 'marked'],
    ['{"ti\\u0074le": "escaped"}', 'escaped'],
  ])('%p creates the note %p', async (body, title) => {
    const response = await send(body)
    expect([response.status, await titleIn(response)]).toEqual([201, title])
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'image/png',
    '',
  ])('is read as JSON though its Content-Type is %p', async (contentType) => {
    const response = await send('{"title": "x"}', { 'content-type': contentType })
    expect(response.status).toBe(201)
  })

  test('that is not UTF-8 is refused', async () => {
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80]]) {
      const body = Buffer.concat([Buffer.from('{"title": "'), Buffer.from(bytes), Buffer.from('"}')])
      expect(await refusalOf(await send(body))).toBe('The body is not valid UTF-8.')
    }
  })

  test.each([
    '1e400',
    '-1e400',
    '1E+309',
    `${'9'.repeat(210)}e99`,
    '9'.repeat(310),
    `${'1'.repeat(200)}.5e2000`,
  ])('with the number %p, beyond the range of a double, is refused', async (number) => {
    await service.post('/v1/properties', { key: 'tree', type: 'json' })
    const body = `{"title": "x", "properties": {"tree": {"a": [${number}]}}}`
    expect(await refusalOf(await send(body))).toBe(
      'The body holds a number that is out of range; send one between -1.7e308 and 1.7e308.',
    )
    expect(await noteCount()).toBe(0)
  })

  test('that is long is checked like a short one', async () => {
    await service.post('/v1/properties', { key: 'tree', type: 'json' })
    const long = (tree: string) =>
      `{"title": "x", "properties": {"tree": [${tree}, "${'x'.repeat(600_000)}"]}}`
    const number = 'The body holds a number that is out of range; send one between -1.7e308 and 1.7e308.'
    for (const tree of ['1e400', '-1E+309', '[9e-5, 1e999]', `{"a": ${'9'.repeat(310)}}`])
      expect(await refusalOf(await send(long(tree)))).toBe(number)
    const surrogate = 'The body holds a lone surrogate, which texts cannot contain.'
    expect(await refusalOf(await send(long('"\\ud83d"')))).toBe(surrogate)
    expect(await refusalOf(await send(long('{"a\\ude00": 1}')))).toBe(surrogate)
    expect(await refusalOf(await send(long('"\\u0000"')))).toBe(
      'The body holds a NUL character, which texts cannot contain.',
    )
    expect(await refusalOf(await send(long('1e5, x')))).toBe(NOT_JSON)
    expect(await noteCount()).toBe(0)
    const kept = `1e308, 1e-400, "1e400", "${'9'.repeat(310)}", "\\ud83d\\ude00", ${'1'.repeat(300)}`
    const { note } = (await (await send(long(kept))).json()) as { note: { id: string } }
    const { tree } = (await service.get(`/v1/notes/${note.id}/properties`)).body.properties
    expect(tree.slice(0, -1)).toEqual(JSON.parse(`[${kept}]`))
  })

  test('may hold the largest numbers, and such numbers in texts', async () => {
    await service.post('/v1/properties', { key: 'tree', type: 'json' })
    const tree = [Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, '1e400', '9'.repeat(400)]
    const response = await service.post('/v1/notes', { title: 'x', properties: { tree } })
    expect([response.status, response.body.properties]).toEqual([201, { tree }])
  })

  test('may be nested to 100 levels and no deeper', async () => {
    await service.post('/v1/properties', { key: 'tree', type: 'json' })
    const nested = (levels: number, open = '[', close = ']') =>
      `{"title": "x", "properties": {"tree": ${open.repeat(levels)}${close.repeat(levels)}}}`
    expect((await send(nested(98))).status).toBe(201)
    expect(await refusalOf(await send(nested(99)))).toBe('The body is nested more than 100 levels deep.')
    const tooDeep = 'The body is nested more than 100 levels deep.'
    expect(await refusalOf(await send(nested(50_000)))).toBe(tooDeep)
    expect(await refusalOf(await send('['.repeat(9 * MEBIBYTE)))).toBe(tooDeep)
    expect(await refusalOf(await send('{"a":'.repeat(MEBIBYTE)))).toBe(tooDeep)
    const shallow = `${'[{}],'.repeat(1_000)}"${'['.repeat(1_000)}\\"${'{'.repeat(1_000)}\\\\"`
    expect((await send(`{"title": "x", "properties": {"tree": [${shallow}]}}`)).status).toBe(201)
  })

  test('may be 10 MiB and not a byte more, with or without its length', async () => {
    const of = (bytes: number) => `{"title": "x"}${' '.repeat(bytes - 14)}`
    const streamed = (text: string) => new Blob([text]).stream()
    const announced = { 'content-length': String(10 * MEBIBYTE + 1) }
    expect((await send(of(10 * MEBIBYTE))).status).toBe(201)
    expect((await send(streamed(of(10 * MEBIBYTE)))).status).toBe(201)
    for (const response of [
      await send(of(10 * MEBIBYTE + 1)),
      await send(of(10 * MEBIBYTE + 1), announced),
      await send(streamed(of(10 * MEBIBYTE + 1))),
    ]) {
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 413,
        body: { error: 'The body is larger than 10 MiB; split the request.', code: 'too_large' },
      })
    }
    expect(await noteCount()).toBe(2)
  })

  test('that is cut off is no failure of the service', async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('the connection was closed')),
    })
    expect(await refusalOf(await send(broken))).toBe('The body ended before it was complete.')
    expect(service.logged().filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('an endpoint without a body', () => {
  test('takes none or an empty object, and nothing else', async () => {
    const { id } = (await service.post('/v1/notes', { title: 'x' })).body.note
    const trash = (body?: string) => service.request('DELETE', `/v1/notes/${id}`, body)
    for (const [body, expected] of [
      ['{"force": true}', '"force" is not known here; leave it out.'],
      ['[]', NO_OBJECT],
      ['null', NO_OBJECT],
      ['x', NOT_JSON],
    ] as const) {
      expect(sentenceOf(await trash(body))).toBe(expected)
    }
    expect(await noteCount()).toBe(1)
    for (const body of [undefined, '', '{}', ' { } ']) {
      expect((await trash(body)).status).toBe(200)
      expect((await service.request('POST', `/v1/notes/${id}/restore`, body)).status).toBe(200)
    }
  })
})

test('a large body of the wrong form costs little more than reading it', async () => {
  const sets = Array(60_000).fill('["a","b"]').join()
  const body = `{"name": "x", "fields": [{"key": "a", "type": "text"}], "unique_together": [${sets}]}`
  const quickest = async (action: () => unknown) => {
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      const processorTime = measureProcessorTime()
      await action()
      times.push(processorTime())
    }
    return Math.min(...times)
  }
  const reading = await quickest(() => JSON.parse(body))
  const refusing = await quickest(async () => {
    const { status } = await service.request('POST', '/v1/records/structures', body)
    expect(status).toBe(400)
  })
  expect(refusing).toBeLessThan(reading * 12)
})

describe('a body with very many values is refused before it is parsed', () => {
  const TOO_MANY = {
    error: 'The body holds more than 200,000 values, or 110,000 members of objects; split the request.',
    code: 'invalid_request',
  }

  test.each([
    ['members', `{${Array(110_001).fill('"a":1')}}`],
    ['numbers', `{"title": [${'1,'.repeat(200_000)}1]}`],
    ['lists', `{"title": [${'[],'.repeat(120_000)}1]}`],
  ])('%s', async (_, body) => {
    expect(await service.post('/v1/notes', body)).toMatchObject({ status: 400, body: TOO_MANY })
  })

  test.each([
    ['members', `{"filter": {${Array(20_001).fill('"a":1')}}}`],
    ['numbers', `{"filter": {"type": "tags", "tag_ids": [${'1,'.repeat(100_000)}1]}}`],
  ])('of fewer %s where the key may not write', async (_, body) => {
    const reader = service.as(await service.newKey({ scope: 'read' }))
    const error = 'The body holds more than 100,000 values, or 20,000 members of objects; split the request.'
    const refused = { status: 400, body: { error, code: 'invalid_request' } }
    expect(await reader.post('/v1/notes/query', body)).toMatchObject(refused)
    expect((await service.post('/v1/notes/query', body)).body.error).not.toBe(error)
  })

  test('but not one with as many in its texts', async () => {
    const { status } = await service.post('/v1/notes', { title: 'Text', content: ',:[{'.repeat(200_000) })
    expect(status).toBe(201)
  })

  test('but not the largest batch of rows, nor the largest call of apply', async () => {
    const keys = Array.from({ length: 100 }, (_, at) => `field_${at}`)
    const fields = keys.map((key) => ({ key, type: 'number' }))
    const created = await service.post('/v1/records/structures', { name: 'wide', fields })
    const structure = created.body.structure.id
    const data = Object.fromEntries(keys.map((key) => [key, 1]))
    const rows = Array(500).fill({ data })
    expect((await service.post('/v1/records', { structure: 'wide', rows })).status).toBe(201)
    const changes = Array.from({ length: 1_000 }, () => ({
      kind: 'record',
      op: 'created',
      id: Bun.randomUUIDv7(),
      structure,
      data,
    }))
    expect((await service.post('/v1/changes/apply', { changes, dry_run: true })).status).toBe(200)
  })
})

describe('a body with a Content-Encoding', () => {
  const post = (path: string, encoding: string, body: string | undefined, key: string | undefined) =>
    service.as(key).request('POST', path, body, { 'content-encoding': encoding })
  const paths = ['/v1/notes', '/v1/records', '/v1/notes/query', '/v1/changes/apply', '/mcp', '/in/none']

  test.each(paths)('is refused by its name and not read: POST %s', async (path) => {
    for (const encoding of ['gzip', 'GZIP', 'br', 'zstd', 'deflate', 'x-unknown', 'identity, gzip']) {
      const { status, body } = await post(path, encoding, '\x1f\x8b', service.key)
      expect([status, body.code]).toEqual([415, 'unsupported_encoding'])
      expect(body.error).toContain(`"${encoding}"`)
    }
  })

  test('is refused after the key and what it may do, and changes nothing', async () => {
    const { body: before } = await service.get('/v1/notes')
    expect((await post('/v1/notes', 'gzip', '{"title":"x"}', undefined)).status).toBe(401)
    const reader = await service.newKey({ scope: 'read' })
    expect((await post('/v1/notes', 'gzip', '{"title":"x"}', reader)).status).toBe(403)
    expect((await post('/v1/notes', 'gzip', '{"title":"x"}', service.key)).status).toBe(415)
    expect((await service.get('/v1/notes')).body.total).toBe(before.total)
  })

  test.each(['identity', 'Identity', '', 'identity, identity'])('%p is read', async (encoding) => {
    expect((await post('/v1/notes', encoding, '{"title":"x"}', service.key)).status).toBe(201)
  })

  test('may be missing, whatever the header says', async () => {
    const { body } = await service.post('/v1/notes', { title: 'x' })
    const path = `/v1/notes/${body.note.id}`
    const { status } = await service.request('DELETE', path, undefined, { 'content-encoding': 'gzip' })
    expect(status).toBe(200)
  })
})
