import { expect, test } from 'bun:test'
import { browserOf, PASSWORD, setupToken } from '../../support/browser-client.ts'
import { sendWhileHeld } from '../../support/held-writes.ts'
import { type Answer, startService } from '../../support/service.ts'

test.each(['is replaced', 'is not replaced'])('a setup link that %s while its use is queued', async (how) => {
  const service = await startService()
  const token = await setupToken(service)
  const use = () => service.as(undefined).post('/app/api/setup', { token, password: PASSWORD })
  const isReplaced = how === 'is replaced'
  const requests = isReplaced ? [() => setupToken(service), use] : [use]
  const { status } = (await sendWhileHeld<unknown[]>(service, ...requests)).at(-1) as Answer
  const signIn = { user: 'owner', password: PASSWORD }
  const entered = await browserOf(service).request('POST', '/app/api/session', signIn)
  expect([status, entered.status]).toEqual(isReplaced ? [401, 401] : [200, 200])
  service.close()
})
