import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mayShare, type Rights } from '../../../src/kernel/caller.ts'
import { signedIn } from '../../support/browser-client.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const rights = (notes: Rights['notes'], files: Rights['files']): Rights => ({
  notes,
  files,
  structures: { open: 'write', seen: 'read', '*': 'none' },
})

test('sharing notes needs write on notes and a sight of files; sharing a structure needs write on it', () => {
  expect(mayShare(undefined, null)).toBe(true)
  expect(mayShare(rights('write', 'read'), null)).toBe(true)
  expect(mayShare(rights('write', 'none'), null)).toBe(false)
  expect(mayShare(rights('read', 'write'), null)).toBe(false)
  expect(mayShare(rights('none', 'none'), 'open')).toBe(true)
  expect(mayShare(rights('write', 'write'), 'seen')).toBe(false)
  expect(mayShare(rights('write', 'write'), 'hidden')).toBe(false)
})

test('a session cannot call the endpoint of agents', async () => {
  const browser = await signedIn(service)
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  expect(await browser.request('POST', '/mcp', message)).toMatchObject({
    status: 401,
    body: { error: 'This endpoint needs the header "Authorization: Bearer <API key>".' },
  })
})
