import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { newSecret, signedHeaders } from '../../src/log/message.ts'
import { runInProcess } from '../support/cli.ts'
import { daybook } from '../support/process.ts'

const secret = newSecret()
const body = '{"id":"e1","text":"Füße 🐾"}'
const eventId = '01a1fc86-b2dc-7000-aec9-905b53639698'
const nowSeconds = Math.floor(Date.now() / 1000)

const headersFor = (text = body, seconds = nowSeconds) => {
  const atMs = seconds * 1000
  return signedHeaders({
    secrets: [secret],
    event: 'record.created',
    eventId,
    deliveryId: 'd1',
    body: text,
    atMs,
  })
}

const SERVICE = ['X-Service-Signature']
const STANDARD = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

const flagsOf = (headers: Record<string, string | undefined>, names = Object.keys(headers)) =>
  names.flatMap((name) => (headers[name] === undefined ? [] : ['--header', `${name}: ${headers[name]}`]))

const verify = (flags: string[], input = body, key = secret) =>
  runInProcess(['verify', '--secret', key, ...flags], { input })

describe('a delivery as it was sent', () => {
  test('is valid by each scheme, and by both with all its headers', async () => {
    const service = { exitCode: 0, out: 'X-Service-Signature: good\n', err: '' }
    const standard = { exitCode: 0, out: 'Standard Webhooks: good\n', err: '' }
    expect(await verify(flagsOf(headersFor(), SERVICE))).toEqual(service)
    expect(await verify(flagsOf(headersFor(), STANDARD))).toEqual(standard)
    expect(await verify(flagsOf(headersFor()))).toEqual({ ...service, out: service.out + standard.out })
  })

  test('may name its headers in any case, and hold several signatures of Standard Webhooks', async () => {
    const headers = headersFor()
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    )
    expect((await verify(flagsOf(upper))).exitCode).toBe(0)
    const several = `v1,${Buffer.alloc(32).toString('base64')} ${headers['webhook-signature']}`
    expect((await verify(flagsOf({ ...headers, 'webhook-signature': several }, STANDARD))).exitCode).toBe(0)
  })

  test('is verified by the real process, from its standard input', async () => {
    const args = ['verify', '--secret', secret, ...flagsOf(headersFor())]
    const good = 'X-Service-Signature: good\nStandard Webhooks: good\n'
    expect(await daybook(args, { input: body })).toEqual({ exitCode: 0, out: good, err: '' })
    const { exitCode, out } = await daybook(args, { input: `${body}\n` })
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' })
  })
})

describe('the failing step is reported:', () => {
  const failing = async (flags: string[], input?: string, key?: string) => {
    const { exitCode, out, err } = await verify(flags, input, key)
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' })
    return err
  }
  const mismatch = (family: string, hint: string) => `${family}: The signature does not match. ${hint}\n`

  test('a missing header', async () => {
    const none = 'X-Service-Signature: The header X-Service-Signature is missing.\n'
    expect(await failing([])).toBe(none)
    expect(await failing(['--header', 'Content-Type: application/json'])).toBe(none)
    const two =
      'Standard Webhooks: The header webhook-id is missing.\nStandard Webhooks: The header webhook-timestamp is missing.\n'
    expect(await failing(flagsOf(headersFor(), ['webhook-signature']))).toBe(two)
  })

  test('its format', async () => {
    const form =
      'X-Service-Signature: X-Service-Signature must have the form t=<unix seconds>,v1=<64 lower-case hex characters>.\n'
    const good = headersFor()['X-Service-Signature'] ?? ''
    for (const value of [
      '',
      'x',
      good.toUpperCase(),
      good.slice(0, -1),
      good.replace(',', ', '),
      `${good},v1=`,
    ]) {
      expect(await failing(flagsOf({ 'X-Service-Signature': value }))).toBe(form)
    }
    const seconds = { ...headersFor(), 'webhook-timestamp': '2026-11-21' }
    expect(await failing(flagsOf(seconds, STANDARD))).toBe(
      'Standard Webhooks: webhook-timestamp must be unix seconds.\n',
    )
    const hex = { ...headersFor(), 'webhook-signature': good }
    expect(await failing(flagsOf(hex, STANDARD))).toBe(
      'Standard Webhooks: webhook-signature must have the form v1,<base64 of 32 bytes>.\n',
    )
  })

  test('its time', async () => {
    expect((await verify(flagsOf(headersFor(body, nowSeconds - 295)))).exitCode).toBe(0)
    expect((await verify(flagsOf(headersFor(body, nowSeconds + 300)))).exitCode).toBe(0)
    const old = await failing(flagsOf(headersFor(body, nowSeconds - 4_000)))
    expect(old).toMatch(
      /^X-Service-Signature: The signature is 400\d seconds old, and 300 are allowed\.\nStandard/,
    )
    const early = await failing(flagsOf(headersFor(body, nowSeconds + 4_000), SERVICE))
    expect(early).toMatch(
      / is from (4000|3999|3998) seconds in the future, and 300 are allowed; is a clock wrong\?\n$/,
    )
  })

  test('the secret', async () => {
    const flags = flagsOf(headersFor())
    const form =
      'The secret must be whsec_ and the base64 of 32 bytes, as it was shown when the subscription was made.\n'
    expect(await failing(flags, body, 'abc')).toBe(form)
    expect(await failing(flags, body, secret.slice(0, -2))).toBe(form)
    expect(await failing(flags, body, ` ${secret}`)).toBe('The secret has whitespace around it.\n')
    expect(await failing(flags, body, secret.slice(6))).toBe('The secret must begin with whsec_.\n')
    const other =
      'Either the secret is another one, or the body is not, byte for byte, the one that was sent.'
    expect(await failing(flags, body, newSecret())).toBe(
      mismatch('X-Service-Signature', other) + mismatch('Standard Webhooks', other),
    )
  })

  test.each([
    [`${body}\n`, 'It is right for the body without the line break at its end.'],
    [`${body}\r\n`, 'It is right for the body without the line break at its end.'],
    [`  ${body} `, 'It is right for the body without the whitespace around it.'],
    [`\ufeff${body}`, 'It is right for the body without the byte order mark.'],
    [
      JSON.stringify(JSON.parse(body), null, 2),
      'It is right for the body as compact JSON: the body was parsed and serialized again. Verify the raw body.',
    ],
    [
      JSON.stringify(body),
      'It is right for the JSON inside the body, which is a string: the body was written as JSON twice.',
    ],
    ['', 'The body is empty; give the raw body on standard input.'],
    [
      body.replace('e1', 'e2'),
      'Either the secret is another one, or the body is not, byte for byte, the one that was sent.',
    ],
  ])('the body, were it %j', async (input, hint) => {
    const both = mismatch('X-Service-Signature', hint) + mismatch('Standard Webhooks', hint)
    expect(await failing(flagsOf(headersFor()), input)).toBe(both)
  })

  test("the format of the sender's key", async () => {
    const bytes = Buffer.from(secret.slice(6), 'base64')
    const service = createHmac('sha256', bytes).update(`${nowSeconds}.${body}`).digest('hex')
    const standard = createHmac('sha256', secret).update(`${eventId}.${nowSeconds}.${body}`).digest('base64')
    const headers = {
      ...headersFor(),
      'X-Service-Signature': `t=${nowSeconds},v1=${service}`,
      'webhook-signature': `v1,${standard}`,
    }
    const wrong = 'It was signed with the wrong form of the key; the key is'
    expect(await failing(flagsOf(headers))).toBe(
      mismatch(
        'X-Service-Signature',
        `${wrong} the whole text of the secret, with whsec_, and not the bytes it stands for.`,
      ) +
        mismatch(
          'Standard Webhooks',
          `${wrong} the bytes that the secret stands for: the base64 behind whsec_, decoded.`,
        ),
    )
  })
})

test('a header without a colon is wrong usage', async () => {
  const { exitCode, err } = await verify(['--header', 'nonsense'])
  expect({ exitCode, err }).toEqual({
    exitCode: 2,
    err: '--header must be "Name: value", not "nonsense".\nTry "daybook verify --help".\n',
  })
})

test('the secret is taken from the environment, where the list of processes does not show it', async () => {
  const flags = flagsOf(headersFor())
  const given = await runInProcess(['verify', ...flags], { input: body, env: { DAYBOOK_SECRET: secret } })
  expect(given).toMatchObject({ exitCode: 0, err: '' })
  const missing = await runInProcess(['verify', ...flags], { input: body })
  expect(missing).toMatchObject({ exitCode: 2, out: '' })
  expect(missing.err).toStartWith('"verify" needs DAYBOOK_SECRET, or --secret <secret>.\n')
})

test('a delivery signed with two secrets is verified with either', async () => {
  const [other, stranger] = [newSecret(), newSecret()]
  const about = { event: 'record.created', eventId, deliveryId: 'd1', body, atMs: nowSeconds * 1000 }
  const flags = flagsOf(signedHeaders({ ...about, secrets: [secret, other] }))
  const exitCodes = [secret, other, stranger].map(async (key) => (await verify(flags, body, key)).exitCode)
  expect(await Promise.all(exitCodes)).toEqual([0, 0, 1])
})
