import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Agent, connectAgent, type ToolResult } from '../support/agent.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

/* What tells an agent of a whole workspace is read in a worker thread where there is much of it. */

let folder: ReturnType<typeof newFolder>
let service: TestService
let agent: Agent

async function open(worker?: { manyRows: number; timeLimitMs?: number }): Promise<void> {
  service = await startService({ file: folder.file('daybook.db'), ...(worker && { worker }) })
}

async function close(): Promise<void> {
  await agent?.close()
  service.close()
}

beforeEach(async () => {
  folder = newFolder()
  await open()
  await service.post('/v1/records/structures', { name: 'Tasks', fields: [{ key: 'n', type: 'number' }] })
  for (let n = 0; n < 12; n++) {
    await service.post('/v1/notes', { title: `Note ${n}`, tags: [`tag ${n}`, 'all'] })
    await service.post('/v1/properties', { key: `key${n}`, type: 'text' })
    await service.post('/v1/presets', { name: `Preset ${n}`, tags: ['all'] })
    await service.post('/v1/views', { name: `View ${n}` })
  }
})
afterEach(async () => {
  await close()
  folder.remove()
})

interface Told {
  instructions: string | undefined
  described: ToolResult
}

async function told(): Promise<Told> {
  agent = await connectAgent(service.app, service.key)
  return { instructions: agent.client.getInstructions(), described: await agent.call('describe') }
}

test('the instructions and the description are the same as those of the main thread', async () => {
  const before = await told()
  expect(before.described.data.tags).toHaveLength(13)
  expect(before.instructions).toContain('Presets: Preset 0')
  await close()
  await open({ manyRows: -1 })
  expect(await told()).toEqual(before)
})
