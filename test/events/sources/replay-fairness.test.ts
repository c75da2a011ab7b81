import { expect, test } from 'bun:test'
import { runFairly } from '../../../src/kernel/fair-share.ts'
import { settle, startService } from '../../support/service.ts'
import { call, makePayments, makeSource } from '../../support/sources.ts'

test('replayed long events alternate with long calls of another source', async () => {
  const service = await startService()
  await makePayments(service)
  const open = { provider: 'none', secret: undefined, options: { unverified: true } }
  const replayed = await makeSource(service, {
    ...open,
    name: 'Replayed',
    map: { amount: { path: '/number', as: 'number' } },
  })
  const quiet = await makeSource(service, { ...open, name: 'Quiet', map: { number: '/number' } })
  const filler = 'x'.repeat(600_000)
  const send = ({ url }: { url: string }, number: string) =>
    call(service, url, JSON.stringify({ number, filler }))
  for (let at = 0; at < 40; at++)
    expect((await send(replayed, `a${at}`)).body).toMatchObject({ status: 'unmapped' })
  await service.patch(`/v1/sources/${replayed.id}`, { map: { number: '/number' } })
  const gate = Promise.withResolvers<void>()
  const step = runFairly('another', () => gate.promise)
  const replay = service.post(`/v1/sources/${replayed.id}/replay`, { status: 'unmapped' })
  await settle()
  const quick = send(quiet, 'quick')
  await settle()
  gate.resolve()
  await step
  expect((await quick).body.status).toBe('written')
  const { counts } = (await service.get(`/v1/sources/${replayed.id}`)).body.source
  expect(counts.written).toBeLessThan(20)
  expect((await replay).body).toEqual({ replayed: 40, unmapped: 0 })
  service.close()
})
