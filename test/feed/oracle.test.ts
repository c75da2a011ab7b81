import { describe, expect, test } from 'bun:test'
import { History } from '../support/change-history.ts'
import { contentsOf, type FeedChange, Replica } from '../support/changes.ts'
import { runs } from '../support/counts.ts'
import { settle, startService, type TestService } from '../support/service.ts'

/*
 * Random histories of all kinds of writes. Readers use only the feed, or a snapshot and the feed after it, or a stream
 * that breaks. Each ends with a copy that equals the workspace.
 */

const HISTORIES = runs(12, 1_000)
const STEPS = 60
/** Copies again, because a cursor whose changes were swept is no longer valid. */
async function copyAnew(history: History, replica: Replica, structure?: string): Promise<void> {
  replica.readSnapshot((await history.service.get('/v1/changes/snapshot')).body)
  if (structure !== undefined) keepOnly(replica, structure)
}

/** Removes objects that do not belong to a structure. */
function keepOnly(replica: Replica, structure: string): void {
  const structureOf: Record<string, (object: Record<string, unknown>) => unknown> = {
    structure: ({ id }) => id,
    record: ({ structure_id }) => structure_id,
    row_view: ({ structure_id }) => structure_id,
    comment: ({ structure_id }) => structure_id,
    webhook: ({ structure }) => (structure as { id: string }).id,
  }
  for (const [kind, objects] of replica.kinds)
    for (const [id, object] of objects) if (structureOf[kind]?.(object) !== structure) objects.delete(id)
}

/** Follows from the cursor to the end, in pages of any size. */
async function follow(history: History, replica: Replica, query = '', structure?: string): Promise<void> {
  for (;;) {
    const after = replica.cursor === undefined ? '' : `&after=${replica.cursor}`
    const limit = 1 + history.random.below(40)
    const { status, body } = await history.service.get(
      `/v1/changes?include=objects&limit=${limit}${after}${query}`,
    )
    if (status === 410) {
      await copyAnew(history, replica, structure)
      continue
    }
    // The log reaches back to no change of the structure, which was deleted.
    if (status === 404 && structure !== undefined) {
      replica.kinds.clear()
      return
    }
    expect(status).toBe(200)
    replica.apply(body.changes)
    replica.cursor = body.cursor
    if (!body.has_more) return
  }
}

/** Reads a stream until it has sent all changes, or breaks it after some events. */
async function stream(history: History, replica: Replica, upTo: number): Promise<void> {
  const abort = new AbortController()
  const headers: Record<string, string> = {
    authorization: `Bearer ${history.service.key}`,
    accept: 'text/event-stream',
    ...(replica.cursor !== undefined && { 'last-event-id': replica.cursor }),
  }
  const request = new Request('http://localhost/v1/changes?include=objects', {
    headers,
    signal: abort.signal,
  })
  const response = await history.service.app.fetch(request)
  if (response.status === 410) {
    await copyAnew(history, replica)
    return stream(history, replica, upTo)
  }
  const reader = response.body?.getReader()
  let text = ''
  const decoder = new TextDecoder()
  const pump = (async () => {
    for (;;) {
      const next = await reader?.read()
      if (!next || next.done) return
      text += decoder.decode(next.value, { stream: true })
    }
  })()
  await settle()
  await reader?.cancel()
  abort.abort()
  await pump
  const events = [...text.matchAll(/id: (.*)\nevent: change\ndata: (.*)\n\n/g)]
  for (const [, id = '', data = ''] of events.slice(0, upTo)) {
    replica.apply([JSON.parse(data) as FeedChange])
    replica.cursor = id
  }
}

/** Follows the changes of one structure; begins with a snapshot once there is a structure. */
async function followStructure(history: History, one: { id?: string; replica: Replica }): Promise<void> {
  const { service, random } = history
  if (one.id === undefined) {
    const { structures } = (await service.get('/v1/records/structures')).body
    if (structures.length === 0) return
    one.id = random.pick<{ id: string }>(structures).id
    await copyAnew(history, one.replica, one.id)
  }
  await follow(history, one.replica, `&structure=${one.id}`, one.id)
}

/** The content visible to a reader of one structure: itself, its rows, its webhooks and its views. */
async function contentsOfStructure(service: TestService, id: string): Promise<Record<string, unknown>> {
  const { status, body } = await service.get(`/v1/records/structures/${id}`)
  if (status === 404) return {}
  const replica = new Replica()
  replica.objects('structure').set(id, body.structure)
  const { records } = (await service.get(`/v1/records?structure=${id}&limit=500`)).body
  for (const record of records) {
    replica.objects('record').set(record.id, record)
    const { comments } = (await service.get(`/v1/comments?record_id=${record.id}&limit=200`)).body
    for (const comment of comments) replica.objects('comment').set(comment.id, comment)
  }
  const { webhooks } = (await service.get(`/v1/webhooks?structure=${id}`)).body
  for (const webhook of webhooks) replica.objects('webhook').set(webhook.id, webhook)
  const { row_views } = (await service.get(`/v1/records/views?structure=${id}`)).body
  for (const view of row_views) replica.objects('row_view').set(view.id, view)
  return replica.contents()
}

const KINDS = [
  'note',
  'record',
  'tag',
  'property',
  'structure',
  'preset',
  'view',
  'lens',
  'quick_access_item',
  'file',
  'webhook',
  'row_view',
]

describe('a follower of the log', () => {
  test(
    'has a copy of the workspace, by the feed, by a snapshot and the feed, and by a broken stream; or of some kinds, or one structure',
    async () => {
      for (let seed = 1; seed <= HISTORIES; seed++) {
        const service = await startService()
        const history = new History(service, seed)
        const [byFeed, bySnapshot, byStream, filtered] = Array.from({ length: 4 }, () => new Replica()) as [
          Replica,
          Replica,
          Replica,
          Replica,
        ]
        const one: Parameters<typeof followStructure>[1] = { replica: new Replica() }
        const wanted = KINDS.filter(() => history.random.chance(0.4))
        wanted.push('tag', 'property')
        const snapshotAt = history.random.below(STEPS)
        for (const replica of [byFeed, byStream, filtered]) await follow(history, replica)
        for (let at = 0; at < STEPS; at++) {
          await history.step()
          if (at === snapshotAt) bySnapshot.readSnapshot((await service.get('/v1/changes/snapshot')).body)
          if (history.random.chance(0.1)) await follow(history, byFeed)
          if (history.random.chance(0.1)) await follow(history, filtered, `&kinds=${wanted.join(',')}`)
          if (history.random.chance(0.1)) await followStructure(history, one)
          if (history.random.chance(0.05)) await stream(history, byStream, history.random.below(20))
        }
        await follow(history, byFeed)
        await follow(history, bySnapshot)
        await follow(history, filtered, `&kinds=${wanted.join(',')}`)
        await stream(history, byStream, Number.POSITIVE_INFINITY)
        const actual = await contentsOf(service)
        expect({ seed, contents: byFeed.contents() }).toEqual({ seed, contents: actual })
        expect({ seed, contents: bySnapshot.contents() }).toEqual({ seed, contents: actual })
        // A broken stream may have shown names of tags and properties before their own changes.
        expect({ seed, contents: byStream.contents(undefined, true) }).toEqual({
          seed,
          contents: await contentsOf(service, undefined, true),
        })
        const own = wanted.filter((kind) => kind !== 'record' && kind !== 'webhook')
        expect({ seed, contents: filtered.contents(own) }).toEqual({
          seed,
          contents: await contentsOf(service, own),
        })
        await followStructure(history, one)
        const ofOne = one.id === undefined ? {} : await contentsOfStructure(service, one.id)
        expect({ seed, contents: one.replica.contents() }).toEqual({ seed, contents: ofOne })
        service.close()
      }
    },
    HISTORIES * 20_000,
  )
})
