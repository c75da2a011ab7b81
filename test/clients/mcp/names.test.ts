import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Agent, connectAgent } from '../../support/agent.ts'
import { makeNote } from '../../support/notes.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
let agent: Agent
beforeAll(async () => {
  service = await startService()
  agent = await connectAgent(service.app, service.key)
})
afterAll(async () => {
  await agent.close()
  service.close()
})

test('of several notes with one title, the one with the given id is changed, and none by the title', async () => {
  const first = await makeNote(service, { title: 'Tea' })
  const second = await makeNote(service, { title: 'tea' })
  const append = (note: string) => agent.call('edit_note', { note, append: { text: 'Green.' } })
  for (const id of [first.id, second.id]) {
    for (const named of [id, id.toUpperCase(), ` ${id.toUpperCase()} `])
      expect((await append(named)).data?.note.id).toBe(id)
  }
  const refused = await append('TEA')
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining(first.id)])
})
