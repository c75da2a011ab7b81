import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { VERSION } from '../../../src/lib/version.ts'
import { isSecret, newSecret, signedHeaders } from '../../../src/log/message.ts'
import { runs } from '../../support/counts.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const atMs = Date.parse('2026-11-21T09:30:00.999Z')
const seconds = 1_795_253_400
const delivery = {
  secrets: [secret],
  event: 'record.created',
  eventId: '01a1fc86-b2dc-7000-aec9-905b53639698',
  deliveryId: '01a1fc86-b2dc-7001-a8f2-1740ae01b53c',
  body: '{"id":"01a1fc86-b2dc-7000-aec9-905b53639698","note":"Füße 🐾"}',
  atMs,
}

const stripeTakes = (body: string, signature: string | undefined, key: string): Promise<unknown> =>
  Stripe.webhooks.constructEventAsync(body, signature ?? '', key, 300)

describe('the headers of a webhook delivery', () => {
  test('are signed as the specification and Standard Webhooks require', () => {
    const { eventId, body } = delivery
    const service = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
    const standard = createHmac('sha256', Buffer.alloc(32, 7)).update(`${eventId}.${seconds}.${body}`)
    expect(signedHeaders(delivery)).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': `daybook/${VERSION}`,
      'X-Service-Event': 'record.created',
      'X-Service-Delivery': delivery.deliveryId,
      'X-Service-Signature': `t=${seconds},v1=${service}`,
      'webhook-id': eventId,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${standard.digest('base64')}`,
    })
  })

  test('satisfy the verifiers of both schemes, whatever the body', async () => {
    const now = Math.floor(Date.now() / 1000)
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.uuid(), async (value, eventId) => {
        const own = newSecret()
        const body = JSON.stringify({ value })
        const headers = signedHeaders({ ...delivery, secrets: [own], eventId, body, atMs: now * 1000 })
        expect(await stripeTakes(body, headers['X-Service-Signature'], own)).toEqual(JSON.parse(body))
        expect(new Webhook(own).verify(body, headers)).toEqual(JSON.parse(body))
      }),
      { numRuns: runs(50, 2_000) },
    )
  })

  test('do not satisfy them for another body, secret or time', async () => {
    const now = Date.now()
    const headers = signedHeaders({ ...delivery, atMs: now })
    const signature = headers['X-Service-Signature']
    const old = signedHeaders({ ...delivery, atMs: now - 301_000 })
    const standard = (body: string, sent: Record<string, string>, key: string) => () =>
      new Webhook(key).verify(body, sent)
    expect(await stripeTakes(delivery.body, signature, secret)).toBeObject()
    await expect(stripeTakes(`${delivery.body} `, signature, secret)).rejects.toThrow()
    await expect(stripeTakes(delivery.body, signature, newSecret())).rejects.toThrow()
    await expect(stripeTakes(delivery.body, old['X-Service-Signature'], secret)).rejects.toThrow()
    expect(standard(`${delivery.body} `, headers, secret)).toThrow()
    expect(standard(delivery.body, headers, newSecret())).toThrow()
    expect(standard(delivery.body, old, secret)).toThrow()
  })
})

test('a secret is whsec_ and the base64 of 32 random bytes', () => {
  const secrets = Array.from({ length: 100 }, newSecret)
  expect(secrets.filter((made) => !/^whsec_[A-Za-z0-9+/]{43}=$/.test(made) || !isSecret(made))).toEqual([])
  expect(new Set(secrets).size).toBe(100)
  expect(
    [secret.slice(6), `${secret}=`, 'whsec_', 'whsec_AAAA', `whsec_${'*'.repeat(44)}`].filter(isSecret),
  ).toEqual([])
})
