import { afterEach, beforeEach, expect, test } from 'bun:test'
import { signedIn } from '../../support/browser-client.ts'
import { declare } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

test('sharing notes needs write on notes and a sight of files; sharing a structure needs write on it', async () => {
  const note = (await service.post('/v1/notes', { title: 'Plan' })).body.note.id
  const fields = [{ key: 'name', type: 'text' }]
  const open = (await declare(service, 'Open', fields)).id
  const seen = (await declare(service, 'Seen', fields)).id
  const hidden = (await declare(service, 'Hidden', fields)).id
  const share = async (
    notes: 'none' | 'read' | 'write',
    files: 'none' | 'read' | 'write',
    target: { kind: 'note' | 'form'; target_id: string },
  ) => {
    const access = { notes, files, structures: { [open]: 'write', [seen]: 'read', '*': 'none' } } as const
    const { status, body } = await service.as(await service.newKey({ access })).post('/v1/shares', target)
    return [status, body.code]
  }
  const ofNote = { kind: 'note', target_id: note } as const
  const formOf = (target_id: string) => ({ kind: 'form', target_id }) as const
  expect(await share('write', 'read', ofNote)).toEqual([201, undefined])
  expect(await share('write', 'none', ofNote)).toEqual([403, 'no_access'])
  expect(await share('read', 'write', ofNote)).toEqual([403, 'no_access'])
  expect(await share('none', 'none', formOf(open))).toEqual([201, undefined])
  expect(await share('write', 'write', formOf(seen))).toEqual([403, 'no_access'])
  expect(await share('write', 'write', formOf(hidden))).toEqual([404, 'not_found'])
})

test('a session cannot call the endpoint of agents', async () => {
  const browser = await signedIn(service)
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  expect(await browser.request('POST', '/mcp', message)).toMatchObject({
    status: 401,
    body: { error: 'This endpoint needs the header "Authorization: Bearer <API key>".' },
  })
})
