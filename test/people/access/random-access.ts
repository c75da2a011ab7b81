import { expect } from 'bun:test'
import type { Access } from '../../../src/kernel/caller.ts'
import { makeFile } from '../../support/files.ts'
import { randomSource } from '../../support/random.ts'
import { declare, write } from '../../support/records.ts'
import { type Client, startService, type TestService } from '../../support/service.ts'

/*
 * Reads and writes with random narrowed keys, compared with the access of each key. Every text of the workspace is a
 * unique word that names the part it belongs to.
 */

const STRUCTURES = 4
const REQUESTS_PER_KEY = 50

/** Whether a text may be in a response to a key with this access. */
interface Canary {
  readonly text: string
  readonly isSeen: (access: Access) => boolean
}

/** The access of a key to the object of a write: unknown to it, read-only, or writable. */
type AccessState = 'hidden' | 'refused' | 'allowed'

/** A write that changes nothing if it is allowed, or that only keys without permission send. */
interface Write {
  readonly method: string
  readonly path: string
  readonly body?: object
  /** The id of the written object, in the path or the body. The refusal of an unknown id must have the same wording. */
  readonly id?: string
  readonly isSafe: boolean
  readonly standing: (access: Access) => AccessState
}

interface World {
  readonly ids: readonly string[]
  readonly canaries: readonly Canary[]
  readonly paths: readonly string[]
  readonly writes: readonly Write[]
}

const levelOf = ({ structures = {} }: Access, id: string): string =>
  structures[id] ?? structures['*'] ?? 'write'
const seesNotes = ({ notes = 'write' }: Access) => notes !== 'none'
const seesFiles = ({ files = 'write' }: Access) => files !== 'none'

/** The access to objects of a structure. Under `add` the existence of rows is visible, but not their content. */
const ofStructure =
  (id: string, allowing: readonly string[] = ['write']) =>
  (access: Access): AccessState => {
    const level = levelOf(access, id)
    return level === 'none' ? 'hidden' : allowing.includes(level) ? 'allowed' : 'refused'
  }
const ofNotes = ({ notes = 'write' }: Access): AccessState =>
  notes === 'none' ? 'hidden' : notes === 'read' ? 'refused' : 'allowed'
const ofNewNotes = (access: Access): AccessState => (ofNotes(access) === 'allowed' ? 'allowed' : 'refused')

interface CreatedObjects {
  readonly id: string
  readonly row: string
  readonly view: string
  readonly webhook: string
  readonly text: string
}

function writesOf({ id, row, view, webhook, text }: CreatedObjects): Write[] {
  const standing = ofStructure(id)
  const sent = { structure: id, data: { text } }
  const [changes, deletes] = [
    { isSafe: true, standing },
    { isSafe: false, standing },
  ]
  const ofRow = { path: `/v1/records/${row}`, id: row }
  const ofView = { path: `/v1/records/views/${view}`, id: view }
  const ofWebhook = { path: `/v1/webhooks/${webhook}`, id: webhook }
  const ofDefinition = { path: `/v1/records/structures/${id}`, id }
  const url = 'https://hooks.example.com/more'
  return [
    { method: 'PATCH', ...ofRow, body: { data: { text } }, ...changes },
    { method: 'DELETE', ...ofRow, ...deletes },
    // A collision: even a key with permission writes nothing.
    {
      method: 'POST',
      path: '/v1/records',
      body: sent,
      id,
      isSafe: true,
      standing: ofStructure(id, ['add', 'write']),
    },
    { method: 'POST', path: '/v1/records', body: { ...sent, on_conflict: 'update' }, id, ...changes },
    { method: 'PATCH', ...ofDefinition, body: { description: null }, ...changes },
    { method: 'PATCH', ...ofView, body: { sort: null }, ...changes },
    { method: 'DELETE', ...ofView, ...deletes },
    { method: 'PATCH', ...ofWebhook, body: { enabled: true }, ...changes },
    { method: 'DELETE', ...ofWebhook, ...deletes },
    { method: 'POST', path: '/v1/webhooks', body: { structure: id, url }, id, ...deletes },
    { method: 'POST', path: '/v1/records/views', body: { structure: id, name: 'more' }, id, ...deletes },
    { method: 'POST', path: '/v1/shares', body: { kind: 'form', target_id: id }, id, ...deletes },
  ]
}

async function makeStructure(service: TestService, at: number) {
  const fields = [
    { key: 'text', type: 'text', unique: true },
    { key: 'other', type: 'record' },
  ]
  const { id } = await declare(service, `structure${at}canary`, fields)
  const seesDefinition = (access: Access) => levelOf(access, id) !== 'none'
  const seesRows = (access: Access) => ['read', 'write'].includes(levelOf(access, id))
  const [row] = await write(service, id, { text: `row${at}canary` })
  const { body: view } = await service.post('/v1/records/views', {
    structure: id,
    name: `rowview${at}canary`,
  })
  const url = `https://hooks.example.com/webhook${at}canary`
  const { body: webhook } = await service.post('/v1/webhooks', { structure: id, url })
  await service.patch(`/v1/records/${row.id}`, { data: { text: `changed${at}canary` } })
  const canaries: Canary[] = [
    { text: `structure${at}canary`, isSeen: seesDefinition },
    ...[`row${at}canary`, `changed${at}canary`, `rowview${at}canary`, `webhook${at}canary`].map((text) => ({
      text,
      isSeen: seesRows,
    })),
  ]
  const paths = [
    `/v1/records/structures/${id}`,
    `/v1/records/structures/structure${at}canary`,
    `/v1/records?structure=${id}`,
    `/v1/records?structure=structure${at}canary&search=canary`,
    `/v1/records?view=${view.row_view.id}`,
    `/v1/records/summary?structure=${id}&by=text`,
    `/v1/records/board?structure=${id}&group_by=text`,
    `/v1/records/views?structure=${id}`,
    `/v1/records/views/${view.row_view.id}`,
    `/v1/records/${row.id}`,
    `/v1/records/${row.id}/history`,
    `/v1/webhooks?structure=${id}`,
    `/v1/webhooks/${webhook.webhook.id}`,
    `/v1/changes?structure=${id}&include=objects`,
    `/v1/changes/transactions?structure=${id}`,
  ]
  const writes = writesOf({
    id,
    row: row.id,
    view: view.row_view.id,
    webhook: webhook.webhook.id,
    text: `changed${at}canary`,
  })
  return { id, canaries, paths, writes }
}

async function makeWorld(service: TestService): Promise<World> {
  const made = []
  for (let at = 0; at < STRUCTURES; at++) made.push(await makeStructure(service, at))
  const { body } = await service.post('/v1/notes', { title: 'notecanary', tags: ['tagcanary'] })
  const { id } = body.note
  await service.post('/v1/notes', { title: 'linkcanary', content: '[[notecanary]]' })
  const { body: noteView } = await service.post('/v1/views', { name: 'viewcanary' })
  await service.post('/v1/quick-access', { note_id: id })
  const attached = await makeFile(service, { noteId: id, name: 'attachedcanary.txt', pages: ['pagecanary'] })
  const free = await makeFile(service, { name: 'freecanary.txt', pages: ['freepagecanary'] })
  const ofNote = { path: `/v1/notes/${id}`, id, standing: ofNotes }
  const ofView = { path: `/v1/views/${noteView.view.id}`, id: noteView.view.id, standing: ofNotes }
  const edited = { kind: 'note', id, op: 'updated', data: { title: 'notecanary' } }
  const writes: Write[] = [
    { method: 'PATCH', ...ofNote, body: { title: 'notecanary' }, isSafe: true },
    { method: 'DELETE', ...ofNote, isSafe: false },
    { method: 'POST', ...ofNote, path: `/v1/notes/${id}/append`, body: { text: 'x' }, isSafe: false },
    { method: 'POST', path: '/v1/notes', body: { title: 'new' }, isSafe: false, standing: ofNewNotes },
    { method: 'POST', path: '/v1/presets', body: { name: 'new' }, isSafe: false, standing: ofNewNotes },
    { method: 'PATCH', ...ofView, body: { name: 'viewcanary' }, isSafe: true },
    { method: 'DELETE', ...ofView, isSafe: false },
    { ...ofNote, method: 'POST', path: '/v1/changes/apply', body: { changes: [edited] }, isSafe: true },
  ]
  const notes = ['notecanary', 'tagcanary', 'linkcanary', '"viewcanary']
  return {
    ids: made.map(({ id }) => id),
    canaries: [
      ...made.flatMap(({ canaries }) => canaries),
      ...notes.map((text) => ({ text, isSeen: seesNotes })),
      ...['attachedcanary', '"pagecanary'].map((text) => ({
        text,
        isSeen: (access: Access) => seesNotes(access) && seesFiles(access),
      })),
      ...['freecanary', 'freepagecanary'].map((text) => ({ text, isSeen: seesFiles })),
    ],
    writes: [...made.flatMap(({ writes }) => writes), ...writes],
    paths: [
      ...made.flatMap(({ paths }) => paths),
      ...['/v1/workspace', '/v1/notes', '/v1/notes?search=canary*', '/v1/tags', '/v1/views', '/v1/graph'],
      ...['/v1/quick-access', '/v1/files', '/v1/files/search?q=canary*', '/v1/records/structures'],
      ...['/v1/webhooks', '/v1/records/views', '/v1/changes', '/v1/changes?include=objects'],
      ...['/v1/changes?before=now&include=objects', '/v1/changes/snapshot', '/v1/changes/transactions'],
      ...[`/v1/notes/${id}`, `/v1/notes/${id}/links`, `/v1/notes/${id}/files`, `/v1/notes/${id}/revisions`],
      ...[attached, free].flatMap((file) => [`/v1/files/${file}`, `/v1/files/${file}/text`]),
    ],
  }
}

/** Sends this many requests. Fails at the first response that reveals hidden data or is an internal error. */
export async function fuzzAccess(requests: number, seed: number): Promise<void> {
  const service = await startService()
  const { ids, canaries, paths, writes } = await makeWorld(service)
  const random = randomSource(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item
  const levels = ['none', 'read', 'write'] as const
  const structureLevels = ['none', 'read', 'add', 'write'] as const
  const randomAccess = (): Access => ({
    notes: pick(levels),
    files: pick(levels),
    structures: Object.fromEntries(
      [...ids, '*'].filter(() => random(10) < 6).map((id) => [id, pick(structureLevels)]),
    ),
  })
  const shown = await Promise.all(paths.map(async (path) => JSON.stringify((await service.get(path)).body)))
  const never = canaries.filter(({ text }) => !shown.join().includes(text.replace('"', '')))
  expect(never).toEqual([])
  for (let sent = 0; sent < requests; ) {
    const access = randomAccess()
    const client = service.as(await service.newKey({ access, user: `user ${Math.floor(sent / 4_000)}` }))
    const hidden = canaries.filter(({ isSeen }) => !isSeen(access))
    for (let at = 0; at < REQUESTS_PER_KEY && sent < requests; at++, sent++) {
      const write = random(3) === 0 ? pick(writes) : undefined
      if (write && (write.isSafe || write.standing(access) !== 'allowed')) {
        await checkWrite(service, client, write, access, hidden)
        continue
      }
      const path = pick(paths)
      const { status, body } = await client.get(path)
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const leaks = hidden
        .map((canary) => canary.text)
        .filter((word) => text.includes(word) && !path.includes(word))
      expect({ path, access, leaks, failed: status >= 500 }).toEqual({
        path,
        access,
        leaks: [],
        failed: false,
      })
    }
  }
  service.close()
}

const UNKNOWN = '01a1fd70-f1c0-7003-b12b-9b6707029ed6'

/** Sends a write. Fails if it changes anything, is allowed or refused incorrectly, or reveals hidden data. */
async function checkWrite(
  service: TestService,
  client: Client,
  write: Write,
  access: Access,
  hidden: readonly Canary[],
): Promise<void> {
  const { method, path, body: sent, id, standing } = write
  const before = await lastChange(service)
  const { status, body } = await client.request(method, path, sent)
  const text = JSON.stringify(body)
  const request = path + JSON.stringify(sent)
  const leaks = hidden.filter((canary) => text.includes(canary.text) && !request.includes(canary.text))
  const is = standing(access)
  const isRight =
    is === 'allowed'
      ? status < 300 || (status === 400 && body.code === 'unique_violation')
      : is === 'hidden'
        ? status === 404
        : status === 403 && body.code === 'no_access'
  const change = await lastChange(service)
  expect({ write: request, access, isRight, status, leaks, change }).toEqual({
    write: request,
    access,
    isRight: true,
    status,
    leaks: [],
    change: before,
  })
  if (is !== 'hidden' || id === undefined) return
  const renamed = JSON.parse(JSON.stringify(sent ?? null).replaceAll(id, UNKNOWN)) ?? undefined
  const unknown = await client.request(method, path.replaceAll(id, UNKNOWN), renamed)
  expect([unknown.status, unknown.body]).toEqual([status, JSON.parse(text.replaceAll(id, UNKNOWN))])
}

/** Returns the cursor of the last change in the log. */
const lastChange = async (service: TestService): Promise<string> =>
  (await service.get('/v1/changes?before=now&limit=1')).body.changes[0].transaction
