import { afterEach, beforeEach, expect, test } from 'bun:test'
import { spawnSync, which } from 'bun'
import { createApi } from '../../src/api.ts'
import { NO_BACKUPS } from '../../src/operation/backups/schedule.ts'
import { alter } from '../support/database.ts'
import { newFolder } from '../support/process.ts'
import { declare, write } from '../support/records.ts'
import { clientOf, startService, type TestService } from '../support/service.ts'
import { subscribe } from '../support/webhooks.ts'

let folder: ReturnType<typeof newFolder>
let service: TestService

beforeEach(async () => {
  folder = newFolder()
  service = await startService({ file: folder.file('daybook.db') })
})
afterEach(() => {
  service.close()
  folder.remove()
})

/** Returns the samples by name and labels, as printed. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

async function metrics(client = service as Pick<TestService, 'get'>) {
  const { status, headers, body } = await client.get('/metrics')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  return { text: body as string, samples: samplesOf(body) }
}

test('requests are counted by route and status, unknown paths together, with their latency', async () => {
  await service.get('/v1/notes')
  await service.get('/v1/notes')
  await service.get('/v1/notes?limit=0')
  await service.get(`/v1/notes/${crypto.randomUUID()}`)
  for (let at = 0; at < 5; at++) await service.get(`/nowhere/${at}`)
  const { samples } = await metrics()
  const count = (method: string, route: string, status: number) =>
    samples.get(`daybook_http_requests_total{method="${method}",route="${route}",status="${status}"}`)
  expect([
    count('GET', '/v1/notes', 200),
    count('GET', '/v1/notes', 400),
    count('GET', '/v1/notes/:id', 404),
    count('other', 'none', 404),
  ]).toEqual([2, 1, 1, 5])
  const seconds = 'daybook_http_request_duration_seconds'
  const labels = 'method="GET",route="/v1/notes"'
  expect(samples.get(`${seconds}_count{${labels}}`)).toBe(3)
  expect(samples.get(`${seconds}_bucket{${labels},le="+Inf"}`)).toBe(3)
  expect(samples.get(`${seconds}_sum{${labels}}`)).toBeGreaterThan(0)
})

test('writes, changes, deliveries, webhooks and sizes are there', async () => {
  const before = (await metrics()).samples
  await declare(service, 'Tasks', [{ key: 'n', type: 'number' }])
  await subscribe(service, 'Tasks', 'https://hooks.example.com/')
  await write(service, 'Tasks', { n: 1 }, { n: 2 })
  await alter(
    service,
    `UPDATE webhook_deliveries SET status = 'failed' WHERE id = (SELECT min(id) FROM webhook_deliveries)`,
  )
  service.clock.advance(10_000)
  const { samples } = await metrics()
  const value = (name: string) => samples.get(name) ?? Number.NaN
  expect([
    value('daybook_deliveries{state="pending"}'),
    value('daybook_deliveries{state="failed"}'),
    value('daybook_webhooks{state="enabled"}'),
    value('daybook_webhooks{state="paused"}'),
    value('daybook_watches'),
  ]).toEqual([1, 1, 1, 0, 0])
  const grown = (name: string) => value(name) - (before.get(name) ?? 0)
  // A structure, a subscription and two rows.
  expect([grown('daybook_changes_total'), value('daybook_changes_per_second')]).toEqual([4, 0.4])
  expect(grown('daybook_commit_writes_sum')).toBeGreaterThanOrEqual(3)
  expect(value('daybook_commit_writes_count')).toBe(value('daybook_commit_writes_bucket{le="+Inf"}'))
  expect(value('daybook_database_bytes')).toBeGreaterThan(0)
  expect(value('daybook_log_bytes')).toBeGreaterThan(0)
})

test('backups and drills have their times by target, and the newest backup its age', async () => {
  expect([...(await metrics()).samples.keys()]).not.toContain('daybook_backup_age_seconds')
  const at = service.clock.now() - 90_000
  const targets = [
    { name: 's3://backups/daybook', lastBackupAt: at, lastDrillAt: at - 5_000 },
    { name: '/srv/backups', lastBackupAt: undefined, lastDrillAt: undefined },
  ]
  const app = createApi(service.ctx, { ...NO_BACKUPS, targets, hasDrills: true })
  const { samples } = await metrics(clientOf(app, service.key))
  expect(samples.get('daybook_backup_age_seconds')).toBe(90)
  const of = (kind: string) =>
    targets.map(({ name }) => samples.get(`daybook_backup_last_${kind}_timestamp_seconds{target="${name}"}`))
  expect([of('success'), of('drill')]).toEqual([
    [at / 1_000, 0],
    [at / 1_000 - 5, 0],
  ])
})

test('only a key of an owner reads them, of scope read too', async () => {
  const readKey = await service.newKey({ scope: 'read' })
  expect((await service.as(readKey).get('/metrics')).status).toBe(200)
  for (const role of ['editor', 'viewer'] as const) {
    const key = await service.newKey({ user: role, role })
    const { status, body } = await service.as(key).get('/metrics')
    expect([status, body]).toEqual([403, { error: expect.stringContaining('owner'), code: 'owner_required' }])
  }
  expect((await service.as(undefined).get('/metrics')).status).toBe(401)
})

test('no name, key or value of a user is in them, and every metric is described once', async () => {
  await service.post('/v1/notes', { title: 'Private title', tags: ['privatetag'] })
  await service.get('/v1/notes?search=Private')
  const { text } = await metrics()
  expect(text.toLowerCase()).not.toContain('private')
  const described = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)].map(([, name]) => name)
  expect(described.length).toBe(new Set(described).size)
  for (const line of text.trimEnd().split('\n')) {
    expect(line).toMatch(/^(# (HELP|TYPE) daybook_\w+ .+|daybook_\w+(\{(\w+="[^"\n]*",?)+\})? [0-9.e+-]+)$/)
  }
})

test.skipIf(!which('promtool'))('promtool finds nothing to complain of', async () => {
  await service.get('/v1/notes')
  const { text } = await metrics()
  const { exitCode, stdout, stderr } = spawnSync(['promtool', 'check', 'metrics'], {
    stdin: new Blob([text]),
  })
  expect([exitCode, stdout.toString() + stderr.toString()]).toEqual([0, ''])
})
