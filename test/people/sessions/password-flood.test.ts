import { afterEach, beforeEach, expect, test } from 'bun:test'
import { browserOf, PASSWORD, setUpIn, setupToken } from '../../support/browser-client.ts'
import { type Answer, startService, type TestService } from '../../support/service.ts'

/** The address of the owner's earlier sign-in. */
const HOME = '192.0.2.1'
/** Hashing takes about 10 ms, so that a flood lasts longer than the other callers' requests. */
const SLOW_PASSWORDS = { memoryCost: 16_384, timeCost: 1 }

let service: TestService
beforeEach(async () => {
  service = await startService({ passwordCost: SLOW_PASSWORDS })
  await setUpIn(service)
})
afterEach(() => service.close())

/** Sends requests concurrently. */
function flood(count: number, send: (at: number) => Promise<Answer>) {
  let unanswered = count
  const answers = Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const answer = await send(at)
      unanswered -= 1
      return answer
    }),
  )
  return { answers, unanswered: () => unanswered }
}

const signIn = (address: string, user: string) =>
  browserOf(service, address).request('POST', '/app/api/session', { user, password: PASSWORD })

/** Visitors from different /64 networks, with unknown user names. */
const strangers = () => flood(80, (at) => signIn(`2001:db8:${at.toString(16)}::1`, `nobody ${at}`))

async function sharedNote(client: Pick<TestService, 'post'> = service) {
  const { note } = (await client.post('/v1/notes', { title: 'Shared' })).body
  return client.post('/v1/shares', { kind: 'note', target_id: note.id, password: PASSWORD })
}

test('signs in an owner from an address that is known while strangers flood the server', async () => {
  const { answers, unanswered } = strangers()
  const statuses = (await Promise.all([signIn(HOME, 'owner'), signIn(HOME, 'owner')])).map(
    ({ status }) => status,
  )
  expect(statuses).toEqual([200, 200])
  expect(unanswered()).toBeGreaterThan(0)
  const refused = (await answers).filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(0)
  for (const { headers } of refused) expect(headers.get('retry-after')).toBe('2')
})

test('sets passwords of invited users and of shares, and opens shares, while strangers flood the server', async () => {
  await service.newKey({ user: 'Vera' })
  const token = await setupToken(service, 'Vera')
  const { url } = (await sharedNote()).body.share
  const { answers, unanswered } = strangers()
  const vera = browserOf(service, '198.51.100.7')
  const visitor = { requestIP: () => ({ address: '198.51.100.8' }), timeout: () => {} }
  const form = new URLSearchParams({ password: PASSWORD })
  const [invited, shared, opened] = await Promise.all([
    vera.request('POST', '/app/api/setup', { token, password: PASSWORD }),
    sharedNote(),
    service.app.fetch(new Request(url, { method: 'POST', body: form }), visitor),
  ])
  expect([invited.status, shared.status, opened.status]).toEqual([200, 201, 303])
  expect(unanswered()).toBeGreaterThan(0)
  await answers
})

test('hashes no password of a share that the key may not create or change', async () => {
  const { share } = (await sharedNote()).body
  const access = { notes: 'none', files: 'none', structures: { '*': 'none' } } as const
  const narrow = service.as(await service.newKey({ access }))
  const password = 'p'.repeat(20)
  const make = () => narrow.post('/v1/shares', { kind: 'note', target_id: share.target_id, password })
  const change = () => narrow.patch(`/v1/shares/${share.id}`, { password })
  const { answers } = flood(60, (at) => (at % 2 === 0 ? make() : change()))
  expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([404]))
  const form = { kind: 'form', target_id: share.target_id, password }
  const forms = flood(60, () => service.post('/v1/shares', form))
  expect(new Set((await forms.answers).map(({ status }) => status))).toEqual(new Set([404]))
})

test('alternates between users, each with at most four pending passwords', async () => {
  const other = service.as(await service.newKey({ user: 'Vera' }))
  const { answers } = flood(20, () => sharedNote())
  const statuses = (await Promise.all(Array.from({ length: 4 }, () => sharedNote(other)))).map(
    ({ status }) => status,
  )
  expect(statuses).toEqual([201, 201, 201, 201])
  expect((await answers).some(({ status }) => status === 503)).toBe(true)
})
