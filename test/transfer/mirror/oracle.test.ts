import { expect, test } from 'bun:test'
import { History } from '../../support/change-history.ts'
import { runs } from '../../support/counts.ts'
import { expireChanges } from '../../support/jobs.ts'
import { faultsOf, mirrorOf, type TestMirror } from '../../support/mirror.ts'
import { type Client, startService, type TestService } from '../../support/service.ts'

/*
 * Random histories of all kinds of writes. The copy of a mirror equals the workspace: every object, every order, every
 * search, and the log. This holds however many writes it reads at once, and even if the feed has expired meanwhile.
 */

const HISTORIES = runs(2, 300)
const STEPS = 60

const LISTS = [
  '/v1/notes?limit=200',
  '/v1/notes?limit=200&sort=title',
  '/v1/notes?limit=200&sort=edited_at',
  '/v1/notes?search=text',
  '/v1/notes?tag=t1',
  '/v1/tags',
  '/v1/properties',
  '/v1/presets',
  '/v1/views',
  '/v1/lenses',
  '/v1/quick-access',
  '/v1/files',
  '/v1/files/search?q=one',
  '/v1/records/structures',
  '/v1/records/views',
  '/v1/graph',
]

async function listsOf(client: Client): Promise<Record<string, unknown>> {
  const lists: Record<string, unknown> = {}
  for (const path of LISTS) lists[path] = (await client.get(path)).body
  const { structures } = (await client.get('/v1/records/structures')).body
  for (const { id } of structures as { id: string }[]) {
    for (const order of ['', '&sort=updated_at', '&sort=a']) {
      const path = `/v1/records?structure=${id}&limit=500${order}`
      lists[path] = (await client.get(path)).body
    }
  }
  const { files } = (await client.get('/v1/files')).body
  for (const { id } of files as { id: string }[])
    for (const path of [`/v1/files/${id}/text`, `/v1/files/${id}/content`])
      lists[path] = (await client.get(path)).body
  return lists
}

/** Returns every object in the state of a copy: subscriptions are disabled. */
async function objectsOf(client: Client): Promise<string[]> {
  const { body } = await client.get('/v1/changes/snapshot?edited=true')
  const lines = (body as string).trimEnd().split('\n').slice(1)
  return lines
    .map((line) => {
      const parsed = JSON.parse(line)
      if (parsed.kind === 'webhook') Object.assign(parsed.object, { enabled: false, status: 'disabled' })
      return JSON.stringify(parsed)
    })
    .sort()
}

/** Returns the log without cursors, by transaction; undefined if it was swept. */
async function logOf(client: Client, after = ''): Promise<object[][] | undefined> {
  const transactions: object[][] = []
  let name = ''
  for (let cursor = after; ; ) {
    const from = cursor === '' ? '' : `&after=${cursor}`
    const { status, body } = await client.get(`/v1/changes?limit=1000${from}`)
    if (status === 410) return undefined
    for (const { cursor: _, transaction, ...change } of body.changes) {
      if (transaction !== name) transactions.push([])
      name = transaction
      transactions.at(-1)?.push(change)
    }
    cursor = body.cursor
    if (!body.has_more) return transactions
  }
}

async function expectEqual(service: TestService, mirror: TestMirror): Promise<void> {
  expect(await objectsOf(mirror)).toEqual(await objectsOf(service))
  expect(await listsOf(mirror)).toEqual(await listsOf(service))
}

for (let seed = 1; seed <= HISTORIES; seed++) {
  test(`the copy equals the workspace after random history ${seed}`, async () => {
    const service = await startService()
    const history = new History(service, seed)
    for (let step = 0; step < 20; step++) await history.step()
    const mirror = await mirrorOf(service)
    const start = (await service.get('/v1/changes?after=now')).body.cursor
    let isLogWhole = true
    await expectEqual(service, mirror)
    for (let step = 0; step < STEPS; step++) {
      await history.step()
      if (history.random.chance(0.03)) {
        isLogWhole = false
        service.clock.advance(1_000)
        await expireChanges(service.ctx)
      }
      if (!history.random.chance(0.3)) continue
      await mirror.catchUp()
      await expectEqual(service, mirror)
    }
    await mirror.catchUp()
    await expectEqual(service, mirror)
    const log = await logOf(service, start)
    if (isLogWhole && log) expect(await logOf(mirror)).toEqual(log)
    expect(faultsOf(mirror)).toEqual([])
    await mirror.close()
    service.close()
  }, 60_000)
}
