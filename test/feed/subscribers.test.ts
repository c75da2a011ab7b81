import { expect, test } from 'bun:test'
import { commandCaller } from '../../src/cli/open-database.ts'
import type { FeedQuery } from '../../src/feed/feed.ts'
import { ChangeSubscribers } from '../../src/feed/subscribers.ts'
import type { StreamEvent } from '../../src/http/sse.ts'
import { callerKeyOf, grantOf } from '../../src/kernel/caller.ts'
import { lastChange } from '../../src/log/log.ts'
import { Streams } from '../../src/people/sessions/streams.ts'
import { settle, startService, type TestService } from '../support/service.ts'

const QUERY: FeedQuery = { includesObjects: false, limit: 100 }
const NEEDS = { needsOwner: false, needsWrite: false, covers: 'several', isNamed: false } as const

/** Follows a workspace after a change. A reader that is served repeatedly leaves. */
function follow(service: TestService, subscribers: ChangeSubscribers, workspacePk: number, after: number) {
  const { workspaceId } = workspaceOf(service, workspacePk)
  const caller = commandCaller({ pk: workspacePk, id: workspaceId })
  const sent: StreamEvent[] = []
  let served = 0
  let leave = () => {}
  leave = subscribers.stream(
    { ...caller, schedulingKey: callerKeyOf(caller), grant: grantOf(caller, NEEDS) },
    QUERY,
    after,
  )({
    send: () => {},
    sendAll: (events) => void sent.push(...events),
    whenSent: async () => {
      served += 1
      if (served === 50) leave()
    },
    end: () => {},
  })
  return { sent, served: () => served, leave: () => leave() }
}

const workspaceOf = ({ ctx }: TestService, pk: number) => ({
  workspaceId: ctx.db.sql.scalar<string>('SELECT id FROM workspaces WHERE pk = ?', pk),
})

/* The second reader subscribes between the change and the round that notifies readers. */
test('a reader that reconnects just after a change gets it, also while another workspace is followed', async () => {
  const service = await startService()
  const subscribers = new ChangeSubscribers(service.ctx, new Streams(service.ctx))
  const other = service.as(await service.newWorkspace('Other'))
  const permanent = follow(service, subscribers, 1, 0)
  for (let time = 0; time < 5; time++) {
    await service.post('/v1/notes', { title: `here ${time}` })
    await settle()
    const place = lastChange(service.ctx.db, 2)
    const first = follow(service, subscribers, 2, place)
    await settle()
    first.leave()
    await other.post('/v1/notes', { title: `there ${time}` })
    const second = follow(service, subscribers, 2, place)
    await settle()
    expect(second.sent).toHaveLength(1)
    expect(second.served()).toBeLessThan(5)
    second.leave()
  }
  permanent.leave()
  service.close()
})
