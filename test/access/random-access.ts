import { expect } from 'bun:test'
import type { Access } from '../../src/access/rights.ts'
import { makeFile } from '../support/files.ts'
import { randomSource } from '../support/random.ts'
import { declare, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/*
 * Requests with random narrowed keys, against what each may see: every text of the workspace is a word of its own, and says
 * to which part it belongs.
 */

const STRUCTURES = 4
const REQUESTS_PER_KEY = 50

/** Whether a text may be in a response to a key with this access. */
interface Canary {
  readonly text: string
  readonly isSeen: (access: Access) => boolean
}

interface World {
  readonly ids: readonly string[]
  readonly canaries: readonly Canary[]
  readonly paths: readonly string[]
}

const levelOf = ({ structures = {} }: Access, id: string): string =>
  structures[id] ?? structures['*'] ?? 'write'
const seesNotes = ({ notes = 'write' }: Access) => notes !== 'none'
const seesFiles = ({ files = 'write' }: Access) => files !== 'none'

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
  return { id, canaries, paths }
}

async function makeWorld(service: TestService): Promise<World> {
  const made = []
  for (let at = 0; at < STRUCTURES; at++) made.push(await makeStructure(service, at))
  const { body } = await service.post('/v1/notes', { title: 'notecanary', tags: ['tagcanary'] })
  const { id } = body.note
  await service.post('/v1/notes', { title: 'linkcanary', content: '[[notecanary]]' })
  await service.post('/v1/views', { name: 'viewcanary' })
  await service.post('/v1/quick-access', { note_id: id })
  const attached = await makeFile(service, { noteId: id, name: 'attachedcanary.txt', pages: ['pagecanary'] })
  const free = await makeFile(service, { name: 'freecanary.txt', pages: ['freepagecanary'] })
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

/** Sends so many requests; fails with the first response that has too much in it, or that is a failure of the service. */
export async function fuzzAccess(requests: number, seed: number): Promise<void> {
  const service = await startService()
  const { ids, canaries, paths } = await makeWorld(service)
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
