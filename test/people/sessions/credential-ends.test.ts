import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Streams } from '../../../src/people/sessions/streams.ts'
import { ENDS, endNow, newSubject } from '../../contract/rights/subject.ts'
import { startService, type TestService } from '../../support/service.ts'

/* No endpoint of connected apps streams today. `contract/rights/streams.test.ts` states the same of keys and sessions. */

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

describe('the response to a connected app ends', () => {
  test.each(Object.entries(ENDS.app))('when %s', async (_, end) => {
    const { credentials } = new Streams(service.ctx)
    const subject = await newSubject(service, 'app')
    const ended: string[] = []
    const caller = {
      workspacePk: subject.workspacePk,
      workspaceId: '',
      userId: '',
      keyId: null,
      keyName: null,
      appId: subject.appId,
      scope: 'write',
      role: 'owner',
      mayWrite: true,
      rights: undefined,
      surface: 'mcp',
    } as const
    const release = credentials.onEnd(caller, (why) => ended.push(why))
    expect(ended).toEqual([])
    endNow(subject, end)
    service.ctx.bus.notify()
    expect(ended).toEqual(['key_revoked'])
    release()
  })
})
