import { expect, test } from 'bun:test'
import { findUserByPk, listUserRows } from '../../../src/people/accounts/store.ts'
import { PASSWORD, setupToken } from '../../support/browser-client.ts'
import { settle, startService } from '../../support/service.ts'

test.each(['is replaced', 'is not replaced'])('a setup link that %s while its use is queued', async (how) => {
  const service = await startService()
  const { db } = service.ctx
  const token = await setupToken(service)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const pause = db.pauseDuring(() => held)
  // Runs first, because it is already queued.
  const replaced = how === 'is replaced' ? setupToken(service) : undefined
  const answer = service.as(undefined).post('/app/api/setup', { token, password: PASSWORD })
  await settle()
  release()
  await Promise.all([pause, replaced])
  const { status } = await answer
  const [owner] = listUserRows(db)
  const hasPassword = findUserByPk(db, owner?.pk ?? 0)?.passwordHash !== null
  expect([status, hasPassword]).toEqual(how === 'is replaced' ? [401, false] : [200, true])
  service.close()
})
