import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Access } from '../../src/access/rights.ts'
import { makeSamples } from '../contract/samples.ts'
import { makeNote } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

/*
 * Whoever has a link reaches the one thing and nothing else of the workspace, and learns nothing of other links.
 */

let service: TestService
/** Every id that there is in the workspace. */
let ids: string[]
let note: string
let view: string

const visit = async (path: string, init: RequestInit = {}) => {
  const response = await service.app.fetch(new Request(`http://anywhere.example${path}`, init))
  return { status: response.status, text: await response.text() }
}

async function share(input: Record<string, unknown>): Promise<string> {
  const { status, body } = await service.post('/v1/shares', input)
  expect([status, body.error]).toEqual([201, undefined])
  return new URL(body.share.url).pathname
}

beforeAll(async () => {
  service = await startService()
  const samples = await makeSamples(service)
  note = (await makeNote(service, { title: 'Alone', content: 'nothing here' })).id
  const filter = { type: 'field', field: 'title', op: 'eq', value: 'Alone' }
  view = (await service.post('/v1/views', { name: 'Alone', filter })).body.view.id
  const rows = (await service.get('/v1/records?structure=Errands')).body.records
  const isId = (value: string) => /^[0-9a-f]{8}-/.test(value)
  ids = [
    ...new Set([
      ...Object.values(samples).filter(isId),
      note,
      view,
      ...rows.map(({ id }: { id: string }) => id),
    ]),
  ]
})
afterAll(() => service.close())

test('no id of the workspace opens anything under a link but what that link shows', async () => {
  const nothing = await visit('/s/AAAAAAAAAAAAAAAAAAAAAA')
  const rowView = (await service.get('/v1/records/views')).body.row_views[0].id
  const structure = (await service.get('/v1/records/structures/Errands')).body.structure.id
  const shares = {
    note: await share({ kind: 'note', target_id: note }),
    view: await share({ kind: 'view', target_id: view }),
    row_view: await share({ kind: 'row_view', target_id: rowView, options: { csv: true } }),
    form: await share({ kind: 'form', target_id: structure }),
  }
  expect(ids.length).toBeGreaterThan(10)
  for (const [kind, base] of Object.entries(shares))
    for (const id of ids)
      for (const path of [`/${id}`, `/files/${id}`, `/files/${id}?note=${note}`, `.${id}`]) {
        const opens = kind === 'view' && path === `/${note}`
        const { status, text } = await visit(base + path)
        expect([kind, path, status]).toEqual([kind, path, opens ? 200 : 404])
        if (!opens) expect(text).toBe(nothing.text)
      }
})

test('a token that is changed is as one that never was, whatever was changed', async () => {
  const path = await share({ kind: 'note', target_id: note })
  const nothing = await visit('/s/AAAAAAAAAAAAAAAAAAAAAA')
  const letters = 'ABCabc019-_'
  const token = path.slice('/s/'.length)
  for (let at = 0; at < token.length; at++)
    for (const letter of letters) {
      const other = token.slice(0, at) + letter + token.slice(at + 1)
      if (other !== token) expect(await visit(`/s/${other}`)).toEqual(nothing)
    }
  for (const other of [token.toLowerCase(), token.toUpperCase(), `${token}A`, token.slice(1), `${token}%20`])
    expect(await visit(`/s/${other}`)).toEqual(nothing)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect((await visit(path, { method, body: 'x' })).status).toBeOneOf([404, 405])
  expect((await service.get(`/v1/notes/${note}`)).body.note.content).toBe('nothing here')
})

test('a key or a session is not what a page is opened with, and the token opens no endpoint', async () => {
  const path = await share({ kind: 'note', target_id: note })
  const token = path.slice('/s/'.length)
  for (const endpoint of ['/v1/notes', `/v1/notes/${note}`, '/v1/shares', '/metrics'])
    expect((await visit(endpoint, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
})

test('who does not reach files shares no note with them, and who only adds rows neither sees nor ends shares', async () => {
  const structure = (await service.get('/v1/records/structures/Errands')).body.structure.id
  const input = { kind: 'form', target_id: structure, options: { hidden: { done: true } } }
  const { id } = (await service.post('/v1/shares', input)).body.share
  const narrowed = async (access: Access) => service.as(await service.newKey({ access }))
  const withoutFiles = await narrowed({ files: 'none' })
  expect((await withoutFiles.post('/v1/shares', { kind: 'note', target_id: note })).body.code).toBe(
    'no_access',
  )
  const website = await narrowed({
    notes: 'read',
    files: 'none',
    structures: { [structure]: 'add', '*': 'none' },
  })
  expect((await website.get(`/v1/shares/${id}`)).status).toBe(404)
  const reader = await narrowed({ structures: { [structure]: 'read' } })
  expect((await reader.delete(`/v1/shares/${id}`)).body.code).toBe('no_access')
  expect((await service.get(`/v1/shares/${id}`)).status).toBe(200)
})

test('a personal view is not shared', async () => {
  const input = { structure: 'Errands', name: 'Mine', personal: true }
  const view = (await service.post('/v1/records/views', input)).body.row_view.id
  expect((await service.post('/v1/shares', { kind: 'row_view', target_id: view })).body.code).toBe('refused')
})
