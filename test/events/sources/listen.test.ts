import { afterAll, beforeAll, expect, test } from 'bun:test'
import Stripe from 'stripe'
import { daybook, newFolder, type ServerProcess, startCommand, startProcess } from '../../support/process.ts'
import { hmac, makePayments } from '../../support/sources.ts'

/* The provider's library accepts the requests that `daybook listen --source` forwards. */

const SECRET = 'whsec_5d41402abc4b2a76b9719d911017c592'
let folder: ReturnType<typeof newFolder>
let server: ServerProcess
let key: string
let url: string
let db: string
/** Passes nothing on. */
const FORWARD = [{ url: 'https://books.example.com/', when: [{ event: true, op: 'eq', value: 'never' }] }]

beforeAll(async () => {
  folder = newFolder()
  db = folder.file('daybook.db')
  server = await startProcess(db)
  key = (await daybook(['keys', 'create', '--name', 'laptop', '--db', db])).out.trim()
  await makePayments(server as never)
  await Bun.write(folder.file('secret.txt'), `${SECRET}\n`)
  const made = await daybook([
    ...['sources', 'create', '--name', 'Card payments', '--structure', 'Payments', '--provider', 'stripe'],
    ...['--secret-file', folder.file('secret.txt'), '--map', '{"number": "/id"}', '--db', db],
    ...['--forward', JSON.stringify(FORWARD)],
  ])
  expect(made).toMatchObject({ exitCode: 0, err: '' })
  const [source] = JSON.parse((await daybook(['sources', 'list', '--json', '--db', db])).out).sources
  expect(source.forward).toMatchObject(FORWARD)
  url = made.out.trim()
  expect(url).toStartWith(`${server.url}/in/`)
})
afterAll(async () => {
  await server.end()
  folder.remove()
})

const stripe = new Stripe('sk_test_EXAMPLE')

async function send(id: string): Promise<void> {
  const payload = `{"id": "${id}",  "object": "event", "type": "charge.succeeded"}`
  const header = await stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: SECRET })
  const headers = { 'stripe-signature': header, 'content-type': 'application/json' }
  expect((await fetch(url, { method: 'POST', body: payload, headers })).status).toBe(200)
}

/** Starts a receiver that verifies with the library, and refuses on request. */
function startReceiver() {
  const taken: string[] = []
  const state = { isAway: false, answers: Promise.resolve() }
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      if (state.isAway) return new Response('', { status: 503 })
      const signature = request.headers.get('stripe-signature') ?? ''
      const event = await stripe.webhooks.constructEventAsync(await request.text(), signature, SECRET)
      taken.push(event.id)
      await state.answers
      return new Response()
    },
  })
  const until = async (ids: readonly string[]) => {
    while (taken.length < ids.length) await Bun.sleep(10)
    expect(taken).toEqual([...ids])
  }
  return { url: `${receiver.url}hook`, taken, state, until, stop: () => receiver.stop(true) }
}

test.each(['database', 'server'])(
  'over the %s events arrive once each, in order, from where the last run ended',
  async (how) => {
    const receiver = startReceiver()
    const state = folder.file(`${how}.json`)
    const where = how === 'database' ? ['--db', db] : ['--url', server.url, '--key', key]
    const args = ['listen', '--source', 'card payments', '--to', receiver.url, '--state', state, ...where]
    const options = { env: { DAYBOOK_SECRET: SECRET }, cwd: folder.path }
    const before = [...earlier]
    await send(`${how}_1`)
    const first = startCommand(args, options)
    await receiver.until([...before, `${how}_1`])
    await send(`${how}_2`)
    await receiver.until([...before, `${how}_1`, `${how}_2`])
    expect(await first.end()).toBe(0)
    await send(`${how}_3`)
    const second = startCommand(args, options)
    earlier.push(`${how}_1`, `${how}_2`, `${how}_3`)
    await receiver.until(earlier)
    expect(await second.end()).toBe(0)
    receiver.stop()
  },
)
const earlier: string[] = []

test('an event that is being posted when the run ends is not posted again by the next', async () => {
  const receiver = startReceiver()
  const { promise, resolve } = Promise.withResolvers<void>()
  receiver.state.answers = promise
  const state = folder.file('under-way.json')
  const args = ['listen', '--source', 'Card payments', '--to', receiver.url, '--state', state, '--db', db]
  const first = startCommand(args)
  await receiver.until(earlier.slice(0, 1))
  const end = first.end()
  resolve()
  expect(await end).toBe(0)
  const second = startCommand(args)
  await receiver.until(earlier)
  expect(await second.end()).toBe(0)
  receiver.stop()
})

test('an unreachable receiver is retried, and the run ends at the event that it does not accept', async () => {
  const receiver = startReceiver()
  receiver.state.isAway = true
  const args = [
    'listen',
    '--source',
    'Card payments',
    '--to',
    receiver.url,
    '--state',
    folder.file('away.json'),
  ]
  const away = startCommand([...args, '--db', db])
  await away.err.until(/Trying again in 2 s/)
  receiver.state.isAway = false
  await receiver.until(earlier)
  expect(await away.end()).toBe(0)
  receiver.stop()
})

test('with another secret no event can be decrypted, and the command reports it', async () => {
  const { exitCode, err } = await daybook(
    [
      'listen',
      '--source',
      'Card payments',
      '--print',
      '--url',
      server.url,
      '--key',
      key,
      '--state',
      folder.file('x.json'),
    ],
    { env: { DAYBOOK_SECRET: 'another' } },
  )
  expect([exitCode, err]).toEqual([1, expect.stringContaining('is not the secret of this source')])
})

test('sources are listed, their events shown and replayed, and the URL is replaced', async () => {
  const list = JSON.parse((await daybook(['sources', 'list', '--json', '--db', db])).out)
  expect(list.sources).toMatchObject([{ name: 'Card payments', url, counts: { written: 6 } }])
  const events = JSON.parse((await daybook(['sources', 'events', 'Card payments', '--json', '--db', db])).out)
  expect(events.events).toHaveLength(6)
  const again = await daybook(['sources', 'replay', 'Card payments', events.events[0].id, '--db', db])
  expect(again).toMatchObject({ exitCode: 1, err: expect.stringContaining('was written already') })
  const all = await daybook(['sources', 'replay', 'Card payments', '--db', db])
  expect(all.out).toBe('Replayed 0 events; 0 still unmapped.\n')
  const rotated = (await daybook(['sources', 'rotate', 'Card payments', '--db', db])).out.trim()
  expect(rotated).not.toBe(url)
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(404)
  expect((await fetch(rotated, { method: 'POST', body: '{}' })).status).toBe(401)
})

test('the body and the headers of Standard Webhooks pass byte for byte', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const { body: made } = await server.post('/v1/sources', {
    name: 'Bytes',
    structure: 'Payments',
    provider: 'standard',
    secret,
  })
  const payload = Buffer.from([0x7b, 0xff, 0x00, 0x7d])
  const seconds = String(Math.floor(Date.now() / 1_000))
  const signature = `v1,${hmac(Buffer.from(secret.slice(6), 'base64'), Buffer.concat([Buffer.from(`m.${seconds}.`), payload]), 'base64')}`
  const headers = { 'webhook-id': 'm', 'webhook-timestamp': seconds, 'webhook-signature': signature }
  const sent = await fetch(made.source.url, { method: 'POST', body: payload, headers })
  expect(await sent.json()).toMatchObject({ status: 'unmapped' })
  const received = Promise.withResolvers<{ bytes: Uint8Array; headers: Record<string, string> }>()
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      received.resolve({ bytes: await request.bytes(), headers: Object.fromEntries(request.headers) })
      return new Response()
    },
  })
  const args = [
    'listen',
    '--source',
    'Bytes',
    '--to',
    receiver.url.href,
    '--state',
    folder.file('bytes.json'),
  ]
  const listening = startCommand([...args, '--db', db])
  const { bytes, headers: got } = await received.promise
  expect(Buffer.from(bytes)).toEqual(payload)
  expect(got).toMatchObject(headers)
  await listening.end()
  await receiver.stop(true)
})

test('listen takes one subject', async () => {
  const both = ['--source', 'Card payments', '--structure', 'Payments', '--print', '--db', db]
  const { exitCode, err } = await daybook(['listen', ...both])
  expect([exitCode, err]).toEqual([2, expect.stringContaining('--source or --structure')])
})
