import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ResponseParser } from '../../../src/events/delivery/client/response-parser.ts'
import { runs } from '../../support/counts.ts'
import { measureProcessorTime } from '../../support/processor-time.ts'

const body = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1'))

const chunk = (text: string, extension: string, lineBreak: string) =>
  `${text.length.toString(16)}${extension}${lineBreak}${text}${lineBreak}`

/** A response with a detectable end, preceded by interim responses. */
const answer = fc
  .record({
    interim: fc.array(
      fc.constantFrom('HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Hints\r\nA: b\r\n\r\n'),
      { maxLength: 2 },
    ),
    status: fc.integer({ min: 200, max: 999 }).filter((status) => status !== 204 && status !== 304),
    chunks: fc.array(
      body.filter((text) => text !== ''),
      { maxLength: 4 },
    ),
    isChunked: fc.boolean(),
    extension: fc.constantFrom('', ';a=b', ' ;c'),
    trailer: fc.constantFrom('', 'A: b\r\n'),
    lineBreak: fc.constantFrom('\r\n', '\n'),
  })
  .map(({ interim, status, chunks, isChunked, extension, trailer, lineBreak }) => {
    const whole = chunks.join('')
    const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${whole.length}`
    const parts = chunks.map((text) => chunk(text, extension, lineBreak)).join('')
    const sent = isChunked ? `${parts}0${lineBreak}${trailer}${lineBreak}` : whole
    const head = `HTTP/1.1 ${status} Some Reason${lineBreak}Server: x${lineBreak}${framing}${lineBreak}${lineBreak}`
    return { status, text: interim.join('') + head + sent }
  })

function read(text: string, cuts: readonly number[]) {
  const bytes = Buffer.from(text, 'latin1')
  const edges = [
    0,
    ...cuts.map((cut) => cut % bytes.length).sort((left, right) => left - right),
    bytes.length,
  ]
  const reader = new ResponseParser()
  const states: string[] = []
  for (const [index, end] of edges.slice(1).entries()) {
    const piece = bytes.subarray(edges[index] ?? 0, end)
    if (piece.length === 0) continue
    reader.feed(piece)
    states.push(reader.state)
  }
  return { reader, states }
}

const cuts = fc.array(fc.nat(2_000), { maxLength: 12 })
const options = { numRuns: runs(500, 50_000) }

const CLOSING = 'HTTP/1.1 500 No\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
const GIGABYTE = 'HTTP/1.1 500 No\r\nContent-Length: 1073741824\r\n'

describe('a response', () => {
  test('is read to its end, and no further, in any segmentation', () => {
    fc.assert(
      fc.property(answer, cuts, ({ status, text }, places) => {
        const { reader, states } = read(text, places)
        expect({ status: reader.status, states }).toEqual({
          status,
          states: [...Array(states.length - 1).fill('more'), 'complete'],
        })
      }),
      options,
    )
  })

  test('followed by extra bytes makes the connection unusable, and keeps its status', () => {
    fc.assert(
      fc.property(answer, cuts, ({ status, text }, places) => {
        const { reader } = read(`${text}H`, places)
        expect({ status: reader.status, state: reader.state }).toEqual({ status, state: 'unusable' })
      }),
      options,
    )
  })

  test('of arbitrary bytes ends in a defined state, and a status has three digits', () => {
    const anything = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      fc.string({ minLength: 1 }).map((text) => Buffer.from(`HTTP/1.1 ${text}`)),
    )
    fc.assert(
      fc.property(anything, cuts, (bytes, places) => {
        const { reader } = read(Buffer.from(bytes).toString('latin1'), places)
        expect(reader.status === null || (reader.status >= 101 && reader.status <= 999)).toBe(true)
      }),
      options,
    )
  })

  test.each([
    ['whole', 'HTTP/1.1 500 No\r\nContent-Length: 4\r\n\r\n', 'disk', 'complete', 'disk', false],
    ['with the connection', 'HTTP/1.0 500 No\r\n\r\n', 'disk', 'more', 'disk', false],
    ['before the connection closes', CLOSING, '4\r\ndisk\r\n0\r\n\r\n', 'unusable', 'disk', false],
    ['too early', 'HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\n', 'disk', 'more', 'disk', true],
    ['after 4 KiB', 'HTTP/1.1 500 No\r\n\r\n', 'x'.repeat(5_000), 'unusable', 'x'.repeat(4_096), true],
    ['after a gigabyte', `${GIGABYTE}\r\n`, 'x'.repeat(5_000), 'unusable', 'x'.repeat(4_096), true],
    [
      'after 1 KiB',
      'HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n',
      '😀'.repeat(500),
      'complete',
      '😀'.repeat(256),
      true,
    ],
  ])(
    'whose body ends %s is kept from its beginning, in any segmentation',
    (_, head, sent, state, kept, isCut) => {
      for (const cut of [head.length, head.length + 1, head.length + 3]) {
        const reader = new ResponseParser()
        const bytes = Buffer.from(head + sent)
        reader.feed(bytes.subarray(0, cut))
        expect(reader.state).toBe('more')
        reader.feed(bytes.subarray(cut))
        expect(reader.state as string).toBe(state)
        reader.end()
        expect(reader.response).toMatchObject({ body: kept, isCut })
      }
    },
  )

  test('of a success is not awaited once its connection cannot be used again', () => {
    const reader = new ResponseParser()
    reader.feed(Buffer.from('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\ndisk'))
    expect(reader.state).toBe('unusable')
    expect(reader.response).toMatchObject({ body: 'disk', isCut: true })
  })

  test('is read to its end up to 64 KiB, and no further', () => {
    const end = (text: string) => read(text, []).reader.state
    const sized = (length: number) =>
      `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`
    const headed = (length: number) => `HTTP/1.1 204 None\r\nA: ${'x'.repeat(length)}\r\n\r\n`
    const inChunks = (count: number) =>
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'400\r\n'.concat('x'.repeat(1024), '\r\n').repeat(count)}0\r\n\r\n`
    expect([end(sized(65_536)), end(headed(65_000)), end(inChunks(63))]).toEqual(Array(3).fill('complete'))
    expect([end(sized(65_537)), end(headed(65_536)), end(inChunks(64))]).toEqual(Array(3).fill('unusable'))
  })

  test.each([
    ['status line', 'HTTP/1.1 200 ', 'a'],
    ['interim answer', 'HTTP/1.1 100 Continue\r\n', 'a\n'],
    ['head', 'HTTP/1.1 200 OK\r\n', 'a\n'],
    ['chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n', 'a'],
    ['size of a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nf;', 'a'],
    ['trailer', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'a\n'],
  ])('whose %s arrives byte by byte without end costs the same for each byte', (_, beginning, more) => {
    const reader = new ResponseParser()
    reader.feed(Buffer.from(beginning))
    const processorTime = measureProcessorTime()
    for (let at = 0; at < 60_000; at++) reader.feed(Buffer.from(more[at % more.length] ?? ''))
    expect(reader.state).toBe('more')
    // Parsing everything received so far again for each byte takes more than ten seconds.
    expect(processorTime()).toBeLessThan(5_000)
  })
})
