import { expect, test } from 'bun:test'
import { lastChange } from '../support/records.ts'
import { settle, startService, type TestService } from '../support/service.ts'
import { readWatch } from '../support/watch.ts'

/** Follows the changes of a workspace after a cursor. */
async function follow({ app }: TestService, key: string | undefined, after: string) {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
  const stream = readWatch(
    await app.fetch(new Request(`http://localhost/v1/changes?after=${after}`, { headers })),
  )
  await stream.opened()
  return stream
}

/* The second reader subscribes between the change and the round that notifies readers. */
test('a reader that reconnects just after a change gets it, also while another workspace is followed', async () => {
  const service = await startService()
  const other = service.as(await service.newWorkspace('Other'))
  const permanent = await follow(service, service.key, 'now')
  for (let time = 0; time < 5; time++) {
    await service.post('/v1/notes', { title: `here ${time}` })
    await settle()
    const end = await lastChange(other)
    const first = await follow(service, other.key, end)
    await settle()
    await first.leave()
    const { body } = await other.post('/v1/notes', { title: `there ${time}` })
    const second = await follow(service, other.key, end)
    const events = (await second.rest()).filter((item) => 'event' in item)
    expect(events).toMatchObject([{ data: { id: body.note.id } }])
    await second.leave()
  }
  await permanent.leave()
  service.close()
})
