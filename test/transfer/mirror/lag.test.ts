import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mirrorOf, type TestMirror } from '../../support/mirror.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
let mirror: TestMirror

beforeEach(async () => {
  service = await startService()
  mirror = await mirrorOf(service)
})
afterEach(async () => {
  await mirror.close()
  service.close()
})

test('the lag is how long the last changes took, and none once the remote has no more', async () => {
  await service.post('/v1/notes', { title: 'late' })
  service.clock.advance(5_000)
  await mirror.catchUp()
  expect(mirror.status().status.lag_ms).toBe(5_000)
  await mirror.catchUp()
  expect(mirror.status().status.lag_ms).toBe(0)
}, 60_000)
