import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sign as signGitHub } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { hasManyCases } from '../../support/counts.ts'
import { randomSource } from '../../support/random.ts'
import { startService, type TestService } from '../../support/service.ts'
import { call, hmac, makePayments } from '../../support/sources.ts'

/* Each provider's signatures come from its own library, or from its published example. */

let service: TestService
let made = 0

beforeAll(async () => {
  service = await startService()
  await makePayments(service)
})
afterAll(() => service.close())

interface Sent {
  readonly body: string
  readonly headers: Record<string, string>
}

interface Scheme {
  readonly provider: string
  readonly options?: object
  readonly secret?: string
  /** The time of a published example. */
  readonly at?: number
  readonly sign: (body: string, now: number) => Promise<Sent> | Sent
  /** The headers that the signature covers. */
  readonly signed: readonly string[]
  readonly hasTime?: true
}

const STRIPE_SECRET = 'whsec_5d41402abc4b2a76b9719d911017c592'
const STANDARD_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const stripe = new Stripe('sk_test_EXAMPLE')
const json = { 'content-type': 'application/json' }

const SCHEMES: Record<string, Scheme> = {
  'Stripe, by its library': {
    provider: 'stripe',
    secret: STRIPE_SECRET,
    sign: async (payload, now) => {
      const timestamp = Math.floor(now / 1_000)
      const given = { payload, secret: STRIPE_SECRET, timestamp }
      const header = await stripe.webhooks.generateTestHeaderStringAsync(given)
      return { body: payload, headers: { 'stripe-signature': header } }
    },
    signed: ['stripe-signature'],
    hasTime: true,
  },
  'GitHub, by its library': {
    provider: 'github',
    secret: 'a secret',
    sign: async (body) => ({
      body,
      headers: { 'x-hub-signature-256': await signGitHub('a secret', body), 'x-github-event': 'push' },
    }),
    signed: ['x-hub-signature-256'],
  },
  'Standard Webhooks, by its library': {
    provider: 'standard',
    secret: STANDARD_SECRET,
    sign: (body, now) => {
      const signature = new StandardWebhook(STANDARD_SECRET).sign('msg_1', new Date(now), body)
      const seconds = String(Math.floor(now / 1_000))
      return {
        body,
        headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': seconds, 'webhook-signature': signature },
      }
    },
    signed: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    hasTime: true,
  },
  'Standard Webhooks under the names of Svix, by its library': {
    provider: 'standard',
    secret: STANDARD_SECRET,
    sign: (body, now) => {
      const signature = new SvixWebhook(STANDARD_SECRET).sign('msg_2', new Date(now), body)
      const seconds = String(Math.floor(now / 1_000))
      return {
        body,
        headers: { 'svix-id': 'msg_2', 'svix-timestamp': seconds, 'svix-signature': `v1,AAAA ${signature}` },
      }
    },
    signed: ['svix-id', 'svix-timestamp'],
    hasTime: true,
  },
  'Shopify, as its documentation computes it': {
    provider: 'shopify',
    secret: 'hush',
    sign: (body) => ({ body, headers: { 'x-shopify-hmac-sha256': hmac('hush', body, 'base64') } }),
    signed: ['x-shopify-hmac-sha256'],
  },
  'Slack, as its documentation computes it': {
    provider: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    sign: (body, now) => {
      const seconds = String(Math.floor(now / 1_000))
      return {
        body,
        headers: {
          'x-slack-request-timestamp': seconds,
          'x-slack-signature': `v0=${hmac('8f742231b10e8888abcd99yyyzzz85a5', `v0:${seconds}:${body}`)}`,
        },
      }
    },
    signed: ['x-slack-request-timestamp', 'x-slack-signature'],
    hasTime: true,
  },
  'an HMAC in hexadecimal with a prefix': {
    provider: 'hmac',
    options: { header: 'X-Sign', algorithm: 'sha512', encoding: 'hex', prefix: 'h=' },
    secret: 'key',
    sign: (body) => ({ body, headers: { 'x-sign': `h=${hmac('key', body, 'hex', 'sha512')}` } }),
    signed: ['x-sign'],
  },
  'an HMAC in base64': {
    provider: 'hmac',
    options: { header: 'X-Sign', algorithm: 'sha1', encoding: 'base64' },
    secret: 'key',
    sign: (body) => ({ body, headers: { 'x-sign': hmac('key', body, 'base64', 'sha1') } }),
    signed: ['x-sign'],
  },
  'a user and a password': {
    provider: 'basic',
    options: { user: 'shop' },
    secret: 'pass:word',
    sign: (body) => ({ body, headers: { authorization: `Basic ${btoa('shop:pass:word')}` } }),
    signed: [],
  },
  'a token': {
    provider: 'bearer',
    secret: 'token',
    sign: (body) => ({ body, headers: { authorization: 'Bearer token' } }),
    signed: [],
  },
}

async function newSource({ provider, options, secret }: Pick<Scheme, 'provider' | 'options' | 'secret'>) {
  const { status, body } = await service.post('/v1/sources', {
    name: `Source ${++made}`,
    structure: 'Payments',
    provider,
    ...(options && { options }),
    ...(secret && { secret }),
    map: { raw: { path: '', as: 'json' } },
  })
  expect([status, body.error]).toEqual([201, undefined])
  return body.source
}

const post = ({ url }: { url: string }, { body, headers }: Sent) =>
  call(service, url, body, { ...json, ...headers })

const named = Object.entries(SCHEMES)
const rowCount = async (): Promise<number> =>
  (await service.get('/v1/workspace')).body.workspace.counts.records

describe('a call signed by', () => {
  test.each(named)('%s is accepted; with another secret, body or time it is not', async (_, scheme) => {
    const source = await newSource(scheme)
    const now = service.clock.now()
    const sent = await scheme.sign('{"test": 2432232314}', now)
    expect((await post(source, sent)).body.status).toBe('written')
    expect((await post(source, { ...sent, headers: {} })).status).toBe(401)
    const other = await newSource({ ...scheme, secret: `${scheme.secret}BBBB` })
    expect((await post(other, sent)).status).toBe(401)
    if (scheme.signed.length > 0)
      expect((await post(source, { ...sent, body: '{"test": 2432232315}' })).status).toBe(401)
    if (!scheme.hasTime) return
    for (const seconds of [-300, 300]) {
      const late = await scheme.sign(`{"at": ${seconds}}`, now + seconds * 1_000)
      expect((await post(source, late)).status).toBe(200)
      const tooLate = await scheme.sign('{}', now + (seconds + Math.sign(seconds)) * 1_000)
      expect((await post(source, tooLate)).status).toBe(401)
    }
  })

  test.each(named)('%s is not accepted with a repeated header', async (_, scheme) => {
    const source = await newSource(scheme)
    const { body, headers } = await scheme.sign('{}', service.clock.now())
    for (const name of [...scheme.signed, ...(scheme.signed.length === 0 ? ['authorization'] : [])]) {
      const value = headers[name] ?? ''
      for (const twice of [`${value}, ${value}`, `x, ${value}`, `${value}, x`])
        expect([name, (await post(source, { body, headers: { ...headers, [name]: twice } })).status]).toEqual(
          [name, 401],
        )
    }
  })
})

/** The examples that the providers publish, each with its time. */
const PUBLISHED: [string, string, string, number, Sent][] = [
  [
    'GitHub',
    'github',
    "It's a Secret to Everybody",
    0,
    {
      body: 'Hello, World!',
      headers: {
        'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      },
    },
  ],
  [
    'Standard Webhooks',
    'standard',
    STANDARD_SECRET,
    1_614_265_330,
    {
      body: '{"test": 2432232314}',
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
    },
  ],
  [
    'Slack',
    'slack',
    '8f742231b10e8888abcd99yyyzzz85a5',
    1_531_420_618,
    {
      body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': '1531420618',
        'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      },
    },
  ],
]

test.each(PUBLISHED)(
  'the example that %s publishes is accepted',
  async (_, provider, secret, seconds, sent) => {
    const source = await newSource({ provider, secret })
    const now = service.clock.now()
    if (seconds > 0) service.clock.set(seconds * 1_000)
    const { status } = await post(source, sent)
    service.clock.set(now)
    expect(status).toBe(200)
  },
)

const MUTATIONS = hasManyCases ? 100_000 : 2_000

test(`${MUTATIONS} altered signed calls write nothing`, async () => {
  const pick = randomSource(20_261_123)
  const signed = named.filter(([, scheme]) => scheme.signed.length > 0)
  const sources = await Promise.all(signed.map(([, scheme]) => newSource(scheme)))
  const before = await rowCount()
  for (let at = 0; at < MUTATIONS; at++) {
    const index = pick(signed.length)
    const scheme = signed[index]?.[1] as Scheme
    const { body, headers } = await scheme.sign(`{"number": "${at}"}`, service.clock.now())
    const changed = (text: string): string => {
      const place = pick(text.length)
      const code = 33 + pick(94)
      const how = pick(3)
      const other = String.fromCharCode(
        code === text.charCodeAt(place) ? (code === 126 ? 33 : code + 1) : code,
      )
      if (how === 0) return text.slice(0, place) + other + text.slice(place + 1)
      return how === 1
        ? text.slice(0, place) + text.slice(place + 1)
        : text.slice(0, place) + other + text.slice(place)
    }
    const name = scheme.signed[pick(scheme.signed.length)] ?? ''
    const isBody = pick(2) === 0
    const sent = isBody
      ? { body: changed(body), headers }
      : { body, headers: { ...headers, [name]: changed(headers[name] ?? '') } }
    const { status } = await post(sources[index], sent)
    if (status !== 401) expect([status, sent, scheme.provider]).toEqual([401, sent, scheme.provider])
  }
  expect(await rowCount()).toBe(before)
})

test('the challenge of Slack is answered once it is verified, and makes no event', async () => {
  const scheme = SCHEMES['Slack, as its documentation computes it'] as Scheme
  const source = await newSource(scheme)
  const body = '{"type": "url_verification", "challenge": "3eZbrw1aB", "token": "x"}'
  const { status, body: answer } = await post(source, await scheme.sign(body, service.clock.now()))
  expect([status, answer]).toEqual([200, { challenge: '3eZbrw1aB' }])
  expect((await post(source, { body, headers: {} })).status).toBe(401)
  expect((await service.get(`/v1/sources/${source.id}/events`)).body.events).toEqual([])
})

test('a ping of GitHub is ignored', async () => {
  const scheme = SCHEMES['GitHub, by its library'] as Scheme
  const source = await newSource(scheme)
  const { body, headers } = await scheme.sign('{"zen": "Keep it logically awesome."}', 0)
  const { body: answer } = await post(source, { body, headers: { ...headers, 'x-github-event': 'ping' } })
  expect(answer.status).toBe('ignored')
})
