import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { AttemptOutcome, Send } from '../../../src/events/delivery/client/sender.ts'
import { alter } from '../../support/database.ts'
import { daybook, newFolder } from '../../support/process.ts'
import { declare, write } from '../../support/records.ts'
import { settle } from '../../support/service.ts'
import {
  deliveriesOf,
  type Hooked,
  startHooked,
  subscribe,
  until,
  webhookOf,
} from '../../support/webhooks.ts'

const MINUTE = 60_000
const OK: AttemptOutcome = { status: 200, error: null }
const FAILED: AttemptOutcome = { status: 500, error: 'The receiver answered 500.' }

interface Attempt {
  readonly url: string
  readonly delivery: string
  readonly event: string
  end(outcome: AttemptOutcome): void
}

/** An injected network: every attempt hangs until the test ends it. */
class Network {
  readonly begun: Attempt[] = []
  readonly open = new Set<Attempt>()
  most = 0

  readonly send: Send = ({ url, headers }) =>
    new Promise((resolve) => {
      const attempt: Attempt = {
        url,
        delivery: headers['X-Service-Delivery'] ?? '',
        event: headers['webhook-id'] ?? '',
        end: (outcome) => {
          this.open.delete(attempt)
          resolve(outcome)
        },
      }
      this.begun.push(attempt)
      this.open.add(attempt)
      this.most = Math.max(this.most, this.open.size)
    })

  openAt(url: string): Attempt[] {
    return [...this.open].filter((attempt) => attempt.url === url)
  }

  endAll(outcome: AttemptOutcome): void {
    for (const attempt of [...this.open]) attempt.end(outcome)
  }
}

let folder: ReturnType<typeof newFolder>
let it: Hooked
let network: Network

beforeEach(async () => {
  folder = newFolder()
  it = await startHooked({ file: folder.file('daybook.db'), start: false })
  network = new Network()
  it.start(network.send)
  await declare(it, 'Tasks', [{ key: 'n', type: 'number' }])
})
afterEach(async () => {
  network.endAll(OK)
  await it.end()
  folder.remove()
})

const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ n }))
const STORAGE_FULL =
  "CREATE TRIGGER full BEFORE UPDATE ON webhook_deliveries BEGIN SELECT RAISE(ABORT, 'full'); END"
const urlOf = (number: number) => `https://hooks.example.com/${number}`

async function subscribeMany(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < count; number++) ids.push((await subscribe(it, 'Tasks', urlOf(number))).id)
  return ids
}

test('at most 4 attempts are in flight per subscription after a success, in the order of creation', async () => {
  const [id = ''] = await subscribeMany(1)
  await write(it, 'Tasks', ...rows(20))
  await until(() => network.open.size === 1)
  await settle()
  const order = (await deliveriesOf(it, id)).map((delivery: { id: string }) => delivery.id)
  expect(network.begun.map(({ delivery }) => delivery)).toEqual(order.slice(0, 1))
  network.begun[0]?.end(OK)
  await until(() => network.open.size === 4)
  await settle()
  expect(network.begun.map(({ delivery }) => delivery)).toEqual(order.slice(0, 5))
  network.begun[2]?.end(OK)
  await until(() => network.begun.length === 6)
  expect(network.begun[5]?.delivery).toBe(order[5])
  while (network.begun.length < 20) {
    network.endAll(OK)
    await settle()
    expect(network.open.size).toBeLessThanOrEqual(4)
  }
  network.endAll(OK)
  await settle()
  expect(network.begun.map(({ delivery }) => delivery)).toEqual(order)
  expect(network.most).toBe(4)
})

test('deliveries are sent in the order in which they fell due, not in the order of creation', async () => {
  const [id = ''] = await subscribeMany(1)
  await write(it, 'Tasks', { n: 1 })
  await until(() => network.open.size === 1)
  network.endAll(FAILED)
  await until(async () => (await deliveriesOf(it, id))[0].attempts === 1)
  await it.stop()
  it.clock.advance(MINUTE / 2)
  await write(it, 'Tasks', { n: 2 })
  it.clock.advance(MINUTE / 2)
  it.start(network.send)
  for (const count of [2, 3]) {
    await until(() => network.begun.length === count)
    network.endAll(OK)
  }
  const [first, second] = (await deliveriesOf(it, id)).map((delivery: { id: string }) => delivery.id)
  expect(network.begun.map(({ delivery }) => delivery)).toEqual([first, second, first])
})

/** Ends all attempts until this many have begun. */
async function endUntilBegun(count: number): Promise<void> {
  while (network.begun.length < count) {
    network.endAll(OK)
    await settle()
  }
}

test('a workspace shares its attempts evenly among its receivers', async () => {
  await subscribeMany(25)
  await write(it, 'Tasks', ...rows(6))
  await until(() => network.open.size === 25)
  network.endAll(OK)
  await until(() => network.open.size === 28)
  await settle()
  const shares = rows(25).map(({ n }) => network.openAt(urlOf(n)).length)
  expect([Math.min(...shares), Math.max(...shares)]).toEqual([1, 2])
  await endUntilBegun(150)
  expect(network.most).toBe(28)
})

test('receivers without a success so far have one attempt each, and delay no others', async () => {
  await subscribeMany(25)
  await write(it, 'Tasks', ...rows(4))
  const live = urlOf(24)
  const delivered = () => network.begun.filter(({ url }) => url === live).length
  while (delivered() < 4) {
    for (const attempt of network.openAt(live)) attempt.end(OK)
    await settle()
  }
  expect(network.begun.length).toBe(24 + 4)
})

test('receivers that hang delay no others, and have one attempt at a time after a failure', async () => {
  const ids = await subscribeMany(25)
  const dead = Array.from({ length: 24 }, (_, number) => urlOf(number))
  const failDead = () => {
    for (const attempt of network.open) if (dead.includes(attempt.url)) attempt.end(FAILED)
  }
  await write(it, 'Tasks', ...rows(4))
  while (network.begun.length < 96 + 1) {
    failDead()
    await settle()
  }
  failDead()
  for (let delivered = 0; delivered < 4; ) {
    for (const attempt of network.openAt(urlOf(24))) {
      attempt.end(OK)
      delivered += 1
    }
    await settle()
  }
  const delivered = async () => deliveriesOf(it, ids[24] ?? '')
  await until(async () =>
    (await delivered()).every(({ status }: { status: string }) => status === 'delivered'),
  )
  expect(await delivered()).toHaveLength(4)

  await write(it, 'Tasks', ...rows(12))
  for (let delivered = 0; delivered < 12; ) {
    await until(() => network.openAt(urlOf(24)).length > 0)
    for (const attempt of network.openAt(urlOf(24))) {
      attempt.end(OK)
      delivered += 1
    }
  }
  await settle()
  expect(dead.map((url) => network.openAt(url).length)).toEqual(Array(24).fill(1))
})

/** A workspace with 25 receivers that hang: from the first delivery, or after one that they accepted. */
async function hangingWorkspace(name: string, wasAccepted: boolean): Promise<void> {
  const crowd = it.as(await it.newWorkspace(name))
  await declare(crowd, 'Tasks', [{ key: 'n', type: 'number' }])
  for (let number = 1; number <= 25; number++)
    await subscribe(crowd, 'Tasks', `https://${name}.example.com/${number}`)
  if (wasAccepted) {
    await write(crowd, 'Tasks', { n: 0 })
    for (let accepted = 0; accepted < 25; await settle())
      for (const attempt of network.open) {
        if (!attempt.url.includes(name)) continue
        attempt.end(OK)
        accepted += 1
      }
  }
  await write(crowd, 'Tasks', ...rows(10))
  await settle()
}

test.each([
  [1, true],
  [5, true],
  [8, false],
])('hanging receivers of %d workspaces delay no delivery of another', async (count, wereAccepted) => {
  for (let crowd = 0; crowd < count; crowd++) await hangingWorkspace(`crowd${crowd}`, wereAccepted)
  const hanging = network.open.size
  await subscribeMany(1)
  await write(it, 'Tasks', ...rows(20))
  for (let delivered = 0; delivered < 20; ) {
    await until(() => network.openAt(urlOf(0)).length > 0)
    for (const attempt of network.openAt(urlOf(0))) {
      attempt.end(OK)
      delivered += 1
    }
  }
  expect(network.open.size).toBe(hanging)
  expect(network.most).toBeLessThanOrEqual(64)
})

test('ordered receivers of which every row hangs delay no receiver that responds', async () => {
  const live = urlOf(24)
  for (let number = 0; number < 24; number++) await subscribe(it, 'Tasks', urlOf(number), { ordered: true })
  await subscribe(it, 'Tasks', live)
  await write(it, 'Tasks', { n: 0 })
  await endUntilBegun(25)
  network.endAll(OK)
  await settle()
  await write(it, 'Tasks', ...rows(8))
  for (let delivered = 0; delivered < 8; ) {
    await until(() => network.openAt(live).length > 0)
    for (const attempt of network.openAt(live)) {
      attempt.end(OK)
      delivered += 1
    }
  }
  expect(network.begun.filter(({ url }) => url !== live).length).toBeGreaterThanOrEqual(24 * 2)
})

test('a subscription that becomes ordered does not wait for the row that hangs', async () => {
  const [id = ''] = await subscribeMany(1)
  await write(it, 'Tasks', { n: 1 })
  await until(() => network.open.size === 1)
  await it.patch(`/v1/webhooks/${id}`, { ordered: true })
  await write(it, 'Tasks', { n: 2 })
  await until(() => network.open.size === 2)
})

/** Writes rows for a receiver that acknowledges the first delivery, so that later ones are attempted concurrently. */
async function writeForGoodReceiver(count: number): Promise<void> {
  await write(it, 'Tasks', ...rows(count))
  await until(() => network.open.size === 1)
  network.endAll(OK)
  await until(() => network.open.size === Math.min(count - 1, 4))
}

test('an attempt that is in flight or whose outcome is being saved is not made twice', async () => {
  await subscribeMany(1)
  await writeForGoodReceiver(3)
  it.ctx.bus.notify()
  it.clock.advance(MINUTE)
  await settle()
  network.endAll(OK)
  it.ctx.bus.notify()
  await settle()
  expect(network.begun).toHaveLength(3)
})

test('attempts in flight when a server dies are repeated immediately at the next start', async () => {
  const [id = ''] = await subscribeMany(1)
  await writeForGoodReceiver(4)
  it.clock.advance(50)
  await until(async () => (await deliveriesOf(it, id))[0].status === 'delivered')
  const abandoned = [...network.open].map(({ event }) => event)
  network = new Network()
  it.start(network.send)
  while (network.begun.length < 3) {
    network.endAll(OK)
    await settle()
  }
  network.endAll(OK)
  expect(network.begun.map(({ event }) => event)).toEqual(abandoned)
  await until(async () =>
    (await deliveriesOf(it, id)).every(({ status }: { status: string }) => status === 'delivered'),
  )
})

describe('a stop', () => {
  test('starts no more attempts, waits for those in flight, and saves their outcomes', async () => {
    const [id = ''] = await subscribeMany(1)
    await writeForGoodReceiver(7)
    const stopping = it.stop()
    network.endAll(OK)
    await stopping
    await settle()
    expect(network.begun).toHaveLength(5)
    const states = (await deliveriesOf(it, id)).map(({ status }: { status: string }) => status)
    expect(states).toEqual([...Array(5).fill('delivered'), 'pending', 'pending'])
  })

  test('waits 10 seconds at most, and abandoned attempts stay pending', async () => {
    const [id = ''] = await subscribeMany(1)
    await write(it, 'Tasks', ...rows(1))
    await until(() => network.open.size === 1)
    let isOver = false
    const stopping = it.stop().then(() => {
      isOver = true
    })
    it.clock.advance(9_999)
    await settle()
    expect(isOver).toBe(false)
    it.clock.advance(1)
    await stopping
    network.endAll(FAILED)
    await settle()
    expect(it.clock.waiting()).toBe(0)
    expect(await deliveriesOf(it, id)).toMatchObject([{ status: 'pending', attempts: 0 }])
  })

  test.each([
    ['while they are written', [10_000]],
    ['before they are tried again', [9_999, 1]],
  ])('that discards outcomes %s leaves the deliveries to the next start, and no timer', async (_, steps) => {
    await subscribeMany(1)
    await write(it, 'Tasks', ...rows(1))
    await until(() => network.open.size === 1)
    await alter(it, STORAGE_FULL)
    const stopping = it.stop()
    network.endAll(OK)
    for (const step of steps) {
      await settle()
      it.clock.advance(step)
    }
    await stopping
    await settle()
    // A test that still waited for an outcome would never end.
    await it.stop()
    expect(it.clock.waiting()).toBe(0)
    await alter(it, 'DROP TRIGGER full')
    it.start(network.send)
    await until(() => network.begun.length === 2)
  })
})

test('an outcome that could not be stored is written later, and the delivery is not sent again', async () => {
  const [id = ''] = await subscribeMany(1)
  await write(it, 'Tasks', ...rows(1))
  await until(() => network.open.size === 1)
  await alter(it, STORAGE_FULL)
  network.endAll(OK)
  await settle()
  it.clock.advance(5_000)
  await settle()
  expect(await deliveriesOf(it, id)).toMatchObject([{ status: 'pending' }])
  await alter(it, 'DROP TRIGGER full')
  it.clock.advance(1_000)
  it.clock.advance(50)
  await until(async () => (await deliveriesOf(it, id))[0].status === 'delivered')
  expect(network.begun).toHaveLength(1)
  expect(await deliveriesOf(it, id)).toHaveLength(1)
})

describe('beside the command line', () => {
  /** The interval at which the service checks for writes of other processes. */
  const POLL_MS = 200
  const run = (...args: string[]) => daybook([...args, '--db', folder.file('daybook.db')])

  test('webhooks test sends, also to a disabled subscription, and prints the delivery', async () => {
    const [id = ''] = await subscribeMany(1)
    await it.patch(`/v1/webhooks/${id}`, { enabled: false })
    const { exitCode, out, err } = await run('webhooks', 'test', id)
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
    it.clock.advance(POLL_MS)
    await until(() => network.open.size === 1)
    expect(network.begun[0]?.delivery).toBe(out.trim())
  })

  test('webhooks resume ends a pause, and pending deliveries are sent', async () => {
    const [id = ''] = await subscribeMany(1)
    await alter(it, 'UPDATE webhooks SET paused_at = 1')
    await write(it, 'Tasks', { n: 1 })
    await settle()
    expect(network.begun).toHaveLength(0)
    expect(await run('webhooks', 'resume', id)).toEqual({
      exitCode: 0,
      out: '',
      err: `The webhook ${id} is not paused.\n`,
    })
    it.clock.advance(POLL_MS)
    await until(() => network.open.size === 1)
    expect(await webhookOf(it, id)).toMatchObject({ status: 'enabled', paused_at: null })
  })

  test('webhooks list prints the response of the API, as a table or as JSON, without secrets', async () => {
    const [id = ''] = await subscribeMany(1)
    const json = await run('webhooks', 'list', '--json')
    expect(JSON.parse(json.out)).toEqual({ webhooks: [await webhookOf(it, id)] })
    const { out } = await run('webhooks', 'list')
    const [headings, line] = out.split('\n')
    expect(headings?.split(/ +/)).toEqual(['ID', 'STRUCTURE', 'STATUS', 'URL'])
    expect(line?.split(/ +/)).toEqual([id, 'Tasks', 'enabled', urlOf(0)])
  })

  test('an unknown webhook is exit 1', async () => {
    for (const command of ['test', 'resume']) {
      expect(await run('webhooks', command, 'x')).toEqual({
        exitCode: 1,
        out: '',
        err: 'There is no such webhook in this workspace.\n',
      })
    }
  })
})
