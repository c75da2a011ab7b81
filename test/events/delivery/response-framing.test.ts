import { expect, test } from 'bun:test'
import { ResponseParser } from '../../../src/events/delivery/client/response-parser.ts'

/* When a response ends, and which parts of it the log of deliveries shows (RFC 9112, section 6). */

function parsed(...pieces: string[]): ResponseParser {
  const parser = new ResponseParser()
  for (const piece of pieces) parser.feed(Buffer.from(piece, 'latin1'))
  return parser
}

const NO = 'HTTP/1.1 500 No\r\n'

test.each([
  ['of which the protocol changes', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 101, 'unusable'],
  ['without content', 'HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\n', 204, 'complete'],
  ['not modified', 'HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\n', 304, 'complete'],
  ['with an empty body', `${NO}Content-Length: 0\r\n\r\n`, 500, 'complete'],
  ['with a length between blanks', `${NO}Content-Length: \t 1 \t\r\n\r\nx`, 500, 'complete'],
  ['without a length', `${NO}\r\nx`, 500, 'more'],
  ['with a length and chunks', `${NO}Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n`, 500, 'more'],
  ['with two lengths', `${NO}Content-Length: 0\r\nContent-Length: 0\r\n\r\n`, 500, 'more'],
  ['with a length that is no number', `${NO}Content-Length: -1\r\n\r\n`, 500, 'more'],
  ['with another coding', `${NO}Transfer-Encoding: gzip\r\n\r\n`, 500, 'more'],
  ['with two codings', `${NO}Transfer-Encoding: gzip, chunked\r\n\r\n`, 500, 'more'],
  ['without a length, delivered', 'HTTP/1.1 200 OK\r\n\r\n', 200, 'unusable'],
  ['of HTTP/1.0', 'HTTP/1.0 500 No\r\nContent-Length: 0\r\n\r\n', 500, 'unusable'],
  ['before a close', `${NO}Connection: keep-alive, close\r\nContent-Length: 0\r\n\r\n`, 500, 'unusable'],
  ['before no close', `${NO}Connection: closed\r\nContent-Length: 0\r\n\r\n`, 500, 'complete'],
  [
    'with a name like that of a header',
    `${NO}X-Content-Length: 9\r\nContent-Length: 0\r\n\r\n`,
    500,
    'complete',
  ],
  ['with an empty last chunk', `${NO}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`, 500, 'complete'],
  ['with a chunk that is too long', `${NO}Transfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n`, 500, 'unusable'],
  ['with a chunk without a size', `${NO}Transfer-Encoding: chunked\r\n\r\n\r\n`, 500, 'unusable'],
  ['with a size of seven digits', `${NO}Transfer-Encoding: chunked\r\n\r\n1234567\r\n`, 500, 'unusable'],
  ['without a status', 'HTTP/1.1 OK\r\n', null, 'unusable'],
  ['with a status of two digits', 'HTTP/1.1 20 OK\r\n', null, 'unusable'],
  ['of another protocol, at its first bytes', 'SSH', null, 'unusable'],
  ['that may still become one', 'HTTP/1.1 2', null, 'more'],
])('a response %s', (_, text, status, state) => {
  const parser = parsed(text)
  expect([parser.status, parser.state as string]).toEqual([status, state])
  const inPieces = parsed(...text)
  expect([inPieces.status, inPieces.state as string]).toEqual([status, state])
})

test('the log shows headers as names and values, without lines that are none', () => {
  const { response } = parsed(`${NO}A:  b \r\n: nameless\r\nno colon\r\nC:d:e\r\nContent-Length: 0\r\n\r\n`)
  expect(response).toEqual({
    headers: [
      ['A', 'b'],
      ['C', 'd:e'],
      ['Content-Length', '0'],
    ],
    body: '',
    isCut: false,
  })
})

test('the log shows headers of up to 4 KiB', () => {
  const named = 'Content-Length: 0'
  const withHeader = (length: number) =>
    parsed(`${NO}${named}\r\nA:${'x'.repeat(length - named.length - 2)}\r\n\r\n`).response
  expect([withHeader(4_096).headers.length, withHeader(4_096).isCut]).toEqual([2, false])
  expect([withHeader(4_097).headers.length, withHeader(4_097).isCut]).toEqual([1, true])
})

test('the log shows bodies of up to 4 KiB, or 1 KiB of a success', () => {
  const shown = (status: number, length: number) => {
    const { body, isCut } = parsed(
      `HTTP/1.1 ${status} X\r\nContent-Length: ${length}\r\n\r\n`,
      ...('x'.repeat(length).match(/.{1,1000}/g) ?? []),
    ).response
    return [body.length, isCut]
  }
  expect([shown(500, 4_096), shown(500, 4_097), shown(300, 4_096)]).toEqual([
    [4_096, false],
    [4_096, true],
    [4_096, false],
  ])
  expect([shown(200, 1_024), shown(200, 1_025), shown(299, 1_025)]).toEqual([
    [1_024, false],
    [1_024, true],
    [1_024, true],
  ])
})

test('a body that ends with its connection is whole only then', () => {
  const parser = parsed(`${NO}\r\ndisk`)
  expect(parser.response).toMatchObject({ body: 'disk', isCut: true })
  parser.end()
  expect(parser.response).toMatchObject({ body: 'disk', isCut: false })
  const sized = parsed(`${NO}Content-Length: 9\r\n\r\ndisk`)
  sized.end()
  expect(sized.response).toMatchObject({ body: 'disk', isCut: true })
})
