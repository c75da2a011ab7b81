import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeNote, tagNamed } from '../../support/notes.ts'
import { startService, type TestService } from '../../support/service.ts'

/*
 * Deleting a tag or property of at most 1,000 notes takes one transaction. With more notes it takes several, and the
 * first contains its own entry. None of them can be undone.
 */

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

interface Entry {
  readonly transaction: string
  readonly kind: string
  readonly op: string
  readonly id: string | number
  readonly changed: readonly string[]
  readonly previous: object
}

async function changesAfter(after: string): Promise<Entry[]> {
  const { body } = await service.get(`/v1/changes?limit=1000&after=${after}`)
  return body.has_more ? [...body.changes, ...(await changesAfter(body.cursor))] : body.changes
}

const makeNotes = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, at) =>
      makeNote(service, { title: `Note ${at}`, tags: ['late', 'kept'], properties: { stage: 'open' } }),
    ),
  )

const KINDS = {
  tag: {
    path: async () => `/v1/tags/${(await tagNamed(service, 'late')).id}`,
    named: 'the tag "late"',
    loss: { changed: ['tags'], previous: { tags: ['kept', 'late'] } },
  },
  property: {
    path: async () => '/v1/properties/stage',
    named: 'the property "stage"',
    loss: { changed: ['properties'], previous: { properties: { stage: 'open' } } },
  },
} as const

describe.each(['tag', 'property'] as const)('a %s', (kind) => {
  const { path, named, loss } = KINDS[kind]

  async function deletedFrom(count: number): Promise<Entry[]> {
    await service.post('/v1/properties', { key: 'stage', type: 'text' })
    const [note] = await makeNotes(count)
    await service.delete(`/v1/notes/${note?.id}`)
    const { cursor } = (await service.get('/v1/changes?after=now')).body
    expect((await service.delete(await path())).status).toBe(200)
    return changesAfter(cursor)
  }

  async function expectNoUndo(transactions: Iterable<string>): Promise<void> {
    for (const transaction of transactions)
      for (const dryRun of [true, false]) {
        const undone = await service.post('/v1/changes/undo', { transaction, dry_run: dryRun })
        expect(undone).toMatchObject({ status: 400, body: { code: 'refused' } })
        expect(undone.body.error).toContain(named)
      }
  }

  test('of 1,000 notes is deleted in one transaction, which cannot be undone', async () => {
    const [own, ...ofNotes] = await deletedFrom(1_000)
    expect(own).toMatchObject({ kind, op: 'deleted', changed: [], previous: {} })
    expect(ofNotes).toHaveLength(1_000)
    for (const change of ofNotes)
      expect(change).toMatchObject({ kind: 'note', op: 'updated', transaction: own?.transaction, ...loss })
    await expectNoUndo([own?.transaction ?? ''])
  })

  test('of 1,001 notes is deleted in several transactions, none of which can be undone', async () => {
    const [own, ...ofNotes] = await deletedFrom(1_001)
    expect(own).toMatchObject({ kind, op: 'deleted' })
    expect(ofNotes).toHaveLength(1_001)
    for (const change of ofNotes) expect(change).toMatchObject({ kind: 'note', op: 'updated', ...loss })
    const transactions = new Set(ofNotes.map(({ transaction }) => transaction))
    expect(transactions).not.toContain(own?.transaction)
    await expectNoUndo([own?.transaction ?? '', ...transactions])
    expect((await service.get('/v1/tags')).body.tags.length).toBe(kind === 'tag' ? 1 : 2)
  })
})

test('the loss of links to a deleted tag is part of its transaction', async () => {
  await makeNote(service, { tags: ['late', 'kept'] })
  const [kept, late] = [await tagNamed(service, 'kept'), await tagNamed(service, 'late')]
  await service.put(`/v1/tags/${kept.id}/links`, { linked_tag_ids: [late.id] })
  const { cursor } = (await service.get('/v1/changes?after=now')).body
  await service.delete(`/v1/tags/${late.id}`)
  const changes = await changesAfter(cursor)
  expect(changes.map(({ kind, op }) => `${kind} ${op}`)).toEqual([
    'tag deleted',
    'note updated',
    'tag updated',
  ])
  expect(new Set(changes.map(({ transaction }) => transaction)).size).toBe(1)
})
