import { expect, test } from 'bun:test'
import { runInProcess } from '../../support/cli.ts'
import { alter, stored, storedValues } from '../../support/database.ts'
import { mirrorOf } from '../../support/mirror.ts'
import { newFolder } from '../../support/process.ts'
import { startService } from '../../support/service.ts'
import { makePayments, makeSource, pay, STRIPE_SECRET } from '../../support/sources.ts'
import { exportTo, importFrom } from '../../support/workspace-files.ts'

test('an imported source is disabled, without secret and URL, until it gets both', async () => {
  const folder = newFolder()
  const [origin, other] = [await startService(), await startService()]
  await makePayments(origin)
  const source = await makeSource(origin, { when: [{ event: true, op: 'exists' }], on_conflict: 'update' })
  await pay(origin, source, 'evt_1', { number: 'A' })
  exportTo(origin, folder.file('export'))
  const files = await Array.fromAsync(new Bun.Glob('**/*').scan(folder.file('export')))
  const texts = await Promise.all(files.map((name) => Bun.file(folder.file(`export/${name}`)).text()))
  expect(texts.join('\n')).not.toContain(STRIPE_SECRET)
  expect(texts.join('\n')).not.toContain(new URL(source.url).pathname)
  const { refused } = await importFrom(other, folder.file('export'))
  expect(refused).toEqual([])
  const path = `/v1/sources/${source.id}`
  const { body } = await other.get(path)
  const counts = { written: 0, updated: 0, duplicate: 0, ignored: 0, stale: 0, unmapped: 0, rejected: 0 }
  expect(body.source).toEqual({ ...source, url: null, enabled: false, counts, last_event_at: null })
  for (const change of [{ enabled: true }, { enabled: true, secret: 'new' }]) {
    const early = await other.patch(path, change)
    expect([early.status, early.body.code]).toEqual([400, 'refused'])
  }
  const { body: rotated } = await other.post(`${path}/rotate`)
  expect((await other.patch(path, { enabled: true })).status).toBe(400)
  expect((await pay(other, rotated.source, 'evt_2', { number: 'B' })).status).toBe(401)
  expect((await other.patch(path, { enabled: true, secret: STRIPE_SECRET })).status).toBe(200)
  expect((await pay(other, rotated.source, 'evt_2', { number: 'B' })).body.status).toBe('written')
  for (const service of [origin, other]) service.close()
  folder.remove()
})

test('a mirror has the sources, disabled and without secret and URL, and follows their changes', async () => {
  const service = await startService()
  await makePayments(service)
  const when = [{ event: true, op: 'exists' }]
  const url = 'https://example.com/hook'
  const source = await makeSource(service, { forward: [{ url, when }] })
  await pay(service, source, 'evt_1', { number: 'A' })
  const mirror = await mirrorOf(service)
  const shown = { url: null, status: 'enabled', paused_at: null, consecutive_failures: 0 }
  const copied = async () => (await mirror.get(`/v1/sources/${source.id}`)).body.source
  expect(await copied()).toMatchObject({ name: 'Card payments', url: null, enabled: false, map: source.map })
  expect((await copied()).forward).toEqual([{ ...shown, when }])
  expect(stored(mirror, 'SELECT secret, token FROM sources')).toEqual([{ secret: null, token: null }])
  expect(storedValues(mirror, 'SELECT forwards FROM sources').join()).not.toContain(url)
  const change = { name: 'Renamed', description: 'x', forward: [{ url }, { url: `${url}/2`, when }] }
  await service.patch(`/v1/sources/${source.id}`, change)
  await mirror.catchUp()
  expect(await copied()).toMatchObject({ name: 'Renamed', forward: [shown, { ...shown, when }] })
  await service.delete(`/v1/sources/${source.id}`)
  await mirror.catchUp()
  expect(await copied()).toBeUndefined()
  await mirror.close()
  service.close()
})

test('the check finds and repairs an event without its source', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const service = await startService({ file })
  await makePayments(service)
  const source = await makeSource(service)
  await pay(service, source, 'evt_1', { number: 'A' })
  service.close()
  expect((await runInProcess(['check', '--db', file])).out).toBe('ok\n')
  await alter(file, 'DELETE FROM sources')
  const { exitCode, out } = await runInProcess(['check', '--db', file])
  expect([exitCode, out]).toEqual([1, expect.stringContaining('1 event of sources has no source')])
  expect((await runInProcess(['check', '--repair', '--db', file])).exitCode).toBe(0)
  expect((await runInProcess(['check', '--db', file])).out).toBe('ok\n')
  folder.remove()
})
