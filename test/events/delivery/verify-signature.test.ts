import { expect, test } from 'bun:test'
import { secretError, verifyDelivery } from '../../../src/events/delivery/verify-signature.ts'
import { secretBytes, signedHeaders } from '../../../src/log/message.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const AT_MS = Date.parse('2026-11-21T09:30:00.000Z')
const BODY = '{"title":"Füße","n":[1,2]}'

const SENT = Object.entries(
  signedHeaders({
    ...{ secrets: [SECRET], event: 'record.created', eventId: 'event-1', deliveryId: 'delivery-1' },
    ...{ body: BODY, atMs: AT_MS },
  }),
).map(([name, value]): [string, string] => [name.toLowerCase(), value])

/** The errors of each scheme, for the delivery with these changes; an undefined header is left out. */
function errorsOf(
  headers: Readonly<Record<string, string | undefined>> = {},
  { body = BODY, secret = SECRET, nowMs = AT_MS } = {},
): string[][] {
  const all = { ...Object.fromEntries(SENT), ...headers }
  const given = Object.entries(all).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  const received = { headers: new Map(given), body: Buffer.from(body) }
  return verifyDelivery(received, secret, nowMs).map(({ errors }) => [...errors])
}

const both = (error: unknown) => [[error], [error]] as string[][]

test('both schemes accept what was sent, for five minutes before and after it', () => {
  for (const seconds of [0, 300, -300])
    expect(errorsOf({}, { nowMs: AT_MS + seconds * 1000 })).toEqual([[], []])
  expect(errorsOf({}, { nowMs: AT_MS + 301_000 })).toEqual(
    both('The signature is 301 seconds old, and 300 are allowed.'),
  )
  expect(errorsOf({}, { nowMs: AT_MS - 301_000 })).toEqual(
    both(expect.stringContaining('is from 301 seconds in the future')),
  )
})

test.each([
  ['', 'The body is empty'],
  [`${BODY}\n`, 'without the line break at its end'],
  [`${BODY}\r\n`, 'without the line break at its end'],
  [`\ufeff${BODY}`, 'without the byte order mark'],
  [`  ${BODY}\n\n`, 'without the whitespace around it'],
  ['{ "title": "Füße", "n": [1, 2] }', 'as compact JSON'],
  [JSON.stringify(BODY), 'which is a string'],
  ['{"title":"Fuss"}', 'Either the secret is another one'],
  ['not JSON', 'Either the secret is another one'],
])('says how the body %j was altered', (body, hint) => {
  expect(errorsOf({}, { body })).toEqual(
    both(expect.stringMatching(new RegExp(`^The signature does not match\\. .*${hint}`))),
  )
})

test('recognizes other line breaks in the body', () => {
  const body = 'a\nb'
  const signed = signedHeaders({
    ...{ secrets: [SECRET], event: 'e', eventId: 'event-1', deliveryId: 'd', body, atMs: AT_MS },
  })
  const headers = Object.fromEntries(
    Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]),
  )
  expect(errorsOf(headers, { body })).toEqual([[], []])
  expect(errorsOf(headers, { body: 'a\r\nb' })).toEqual(both(expect.stringContaining('other line breaks')))
})

test('names the missing headers of a scheme that has at least one', () => {
  expect(errorsOf({ 'webhook-id': undefined, 'webhook-timestamp': undefined })).toEqual([
    [],
    ['The header webhook-id is missing.', 'The header webhook-timestamp is missing.'],
  ])
  expect(errorsOf({ 'x-service-signature': undefined })).toEqual([[]])
  const none = { headers: new Map(), body: Buffer.from(BODY) }
  expect(verifyDelivery(none, SECRET, AT_MS)).toEqual([
    { scheme: 'X-Service-Signature', errors: ['The header X-Service-Signature is missing.'] },
  ])
})

const SECONDS = String(AT_MS / 1000)
const hex = (key: string | Uint8Array, text: string) =>
  new Bun.CryptoHasher('sha256', key).update(text).digest('hex')
const base64 = (key: string | Uint8Array, text: string) =>
  new Bun.CryptoHasher('sha256', key).update(text).digest('base64')

test.each([
  ['x-service-signature', 't=1', 0, 'must have the form t='],
  ['x-service-signature', `t=${SECONDS},v1=${'A'.repeat(64)}`, 0, 'must have the form t='],
  ['webhook-timestamp', 'now', 1, 'must be unix seconds'],
  ['webhook-signature', 'v1,short', 1, 'must have the form v1,'],
  ['webhook-signature', `v1,${base64('x', 'y')} v2,other`, 1, 'must have the form v1,'],
])('refuses the header %s: %s', (header, value, scheme, error) => {
  expect(errorsOf({ [header]: value })[scheme]).toEqual([expect.stringContaining(error)])
})

test('one of several signatures is enough', () => {
  const [good = ''] = /v1=.*/.exec(Object.fromEntries(SENT)['x-service-signature'] ?? '') ?? []
  const standard = Object.fromEntries(SENT)['webhook-signature']
  expect(
    errorsOf({
      'x-service-signature': `t=${SECONDS},v1=${hex('x', 'y')},${good}`,
      'webhook-signature': `v1,${base64('x', 'y')} ${standard}`,
    }),
  ).toEqual([[], []])
})

test('recognizes the key in the form of the other scheme', () => {
  const wrong = {
    'x-service-signature': `t=${SECONDS},v1=${hex(secretBytes(SECRET), `${SECONDS}.${BODY}`)}`,
    'webhook-signature': `v1,${base64(SECRET, `event-1.${SECONDS}.${BODY}`)}`,
  }
  expect(errorsOf(wrong)).toEqual([
    [expect.stringContaining('the key is the whole text of the secret')],
    [expect.stringContaining('the key is the bytes')],
  ])
  expect(errorsOf({}, { secret: OTHER })).toEqual(both(expect.stringContaining('the secret is another one')))
})

test.each([
  [SECRET, undefined],
  [` ${SECRET}\n`, 'whitespace around it'],
  [SECRET.slice('whsec_'.length), 'must begin with whsec_'],
  ['whsec_short', 'the base64 of 32 bytes'],
])('the secret %j is refused with: %p', (secret, error) => {
  const found = secretError(secret)
  if (error === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(error)
})
