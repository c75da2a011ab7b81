import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Access } from '../../src/kernel/caller.ts'
import { makeSamples } from '../contract/samples.ts'
import { makeNote } from '../support/notes.ts'
import { randomSource } from '../support/random.ts'
import { routesOf } from '../support/routes.ts'
import { startService, type TestService } from '../support/service.ts'

/* A link gives access to one object and to nothing else of the workspace, and reveals nothing about other links. */

let service: TestService
/** Every id in the workspace. */
let ids: string[]
let note: string
let view: string

const visit = async (path: string, init: RequestInit = {}) => {
  const response = await service.app.fetch(new Request(`http://anywhere.example${path}`, init))
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, text: await response.text(), headers: { ...headers, 'x-request-id': '' } }
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

test('no id of the workspace opens anything beyond the share under its link', async () => {
  const nothing = await visit('/s/AAAAAAAAAAAAAAAAAAAAAA')
  expect(ids.length).toBeGreaterThan(10)
  for (const [kind, base] of Object.entries(await oneOfEach()))
    for (const id of ids)
      for (const path of [`/${id}`, `/files/${id}`, `/files/${id}?note=${note}`, `.${id}`]) {
        const opens = kind === 'view' && path === `/${note}`
        const page = await visit(base + path)
        expect([kind, path, page.status]).toEqual([kind, path, opens ? 200 : 404])
        if (!opens) expect(page).toEqual(nothing)
      }
})

/** Creates one share of each kind, with all options. */
async function oneOfEach() {
  const structure = (await service.get('/v1/records/structures/Errands')).body.structure.id
  const rows = (await service.get('/v1/records/views')).body.row_views[0].id
  return {
    note: await share({ kind: 'note', target_id: note }),
    view: await share({ kind: 'view', target_id: view }),
    row_view: await share({ kind: 'row_view', target_id: rows, options: { csv: true } }),
    form: await share({ kind: 'form', target_id: structure }),
  }
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const MUTATIONS = 5_000

test('a token that is changed is as one that never was, has ended or has expired, whatever was changed', async () => {
  const random = randomSource(33)
  const letter = () => LETTERS[random(LETTERS.length)] ?? ''
  const changed = (token: string) => {
    const at = random(token.length)
    const other = [...token]
    const how = random(8)
    if (how === 0) other.splice(at, 1)
    else if (how === 1) other.splice(at, 0, letter())
    else for (let count = 1 + random(3); count > 0; count--) other[random(token.length)] = letter()
    return other.join('')
  }
  const nothing = await visit('/s/AAAAAAAAAAAAAAAAAAAAAA')
  const gone = (await service.post('/v1/shares', { kind: 'note', target_id: note })).body.share
  await service.delete(`/v1/shares/${gone.id}`)
  const expired = await share({ kind: 'note', target_id: note, expires_at: '2020-01-01T00:00:00Z' })
  for (const path of [new URL(gone.url).pathname, expired]) expect(await visit(path)).toEqual(nothing)
  for (const path of Object.values(await oneOfEach())) {
    const [, where, token = ''] = path.split('/')
    const others = Array.from({ length: MUTATIONS }, () => changed(token)).filter((one) => one !== token)
    for (const other of [...others, token.toLowerCase(), token.toUpperCase(), `${token}%20`, `%00${token}`])
      expect(await visit(`/${where}/${other}`)).toEqual(nothing)
  }
  const path = await share({ kind: 'note', target_id: note })
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect((await visit(path, { method, body: 'x' })).status).toBeOneOf([404, 405])
  expect((await service.get(`/v1/notes/${note}`)).body.note.content).toBe('nothing here')
})

test('no path of the service is below a share link, and none accepts its token as a key', async () => {
  const nothing = await visit('/s/AAAAAAAAAAAAAAAAAAAAAA')
  const routes = [...new Set(routesOf(service.app).map(({ path }) => path))].filter((path) =>
    path.startsWith('/v1/'),
  )
  expect(routes.length).toBeGreaterThan(50)
  for (const base of Object.values(await oneOfEach()))
    for (const route of routes)
      for (const id of ids) {
        const path = route.replace(/:\w+/g, id)
        expect([base, path, await visit(base + path)]).toEqual([base, path, nothing])
        const key = { headers: { authorization: `Bearer ${base.slice('/s/'.length)}` } }
        expect((await visit(path, key)).status, path).toBeOneOf([401, 405, 429])
      }
})

test('following every link of a shared page stays within the share', async () => {
  await service.post('/v1/notes', { title: 'Hidden', content: 'classified' })
  for (const [kind, base] of Object.entries(await oneOfEach())) {
    const seen = new Set([base])
    for (const path of seen) {
      const { status, text } = await visit(path)
      expect([path, status]).toEqual([path, 200])
      expect(text).not.toMatch(/Hidden|classified/)
      for (const [, link = ''] of text.matchAll(/(?:href|src|action)="([^"]*)"/g)) {
        const next = link.replaceAll('&amp;', '&')
        expect([kind, next.startsWith(base)]).toEqual([kind, true])
        if (!next.includes('month=')) seen.add(next)
      }
    }
    expect(seen.size).toBeLessThan(20)
  }
})

test('callers without file access cannot share notes with files, and callers who only add rows cannot see or end shares', async () => {
  const structure = (await service.get('/v1/records/structures/Errands')).body.structure.id
  const input = { kind: 'form', target_id: structure, options: { hidden: { done: true } } }
  const { id } = (await service.post('/v1/shares', input)).body.share
  const narrowed = async (access: Access) => service.as(await service.newKey({ access }))
  const withoutFiles = await narrowed({ files: 'none' })
  expect((await withoutFiles.post('/v1/shares', { kind: 'note', target_id: note })).body.code).toBe(
    'no_access',
  )
  const shared = (await service.post('/v1/shares', { kind: 'note', target_id: note })).body.share
  expect((await withoutFiles.get(`/v1/shares/${shared.id}`)).body.share.url).toBeNull()
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
