import { afterEach, describe, expect, test } from 'bun:test'
import { sendWhileHeld } from '../../support/held-writes.ts'
import { makeNote, tagNamed } from '../../support/notes.ts'
import { type Answer, startService, type TestService } from '../../support/service.ts'

/*
 * Before a tag or property is deleted, every stored filter tree is read, long ones in a worker thread. The transaction
 * of the deletion rereads the trees that changed since.
 */

const open: TestService[] = []
afterEach(() => {
  for (const service of open.splice(0)) service.close()
})

async function start() {
  const service = await startService()
  open.push(service)
  await makeNote(service, { tags: ['work'] })
  const tag: number = (await tagNamed(service, 'work')).id
  const property: string = (await service.post('/v1/properties', { key: 'due', type: 'text' })).body.property
    .id
  const tree = {
    type: 'group',
    match: 'any',
    children: [
      { type: 'tags', op: 'has_any', tag_ids: [tag] },
      { type: 'property', def_id: property, op: 'not_empty' },
    ],
  }
  const newView = (filter?: object) =>
    service.post('/v1/views', { name: 'Naming', ...(filter && { filter }) })
  return { service, tag, property, tree, newView }
}

type Started = Awaited<ReturnType<typeof start>>

/** The caller's actions on the tag or the property that a tree may name. */
const ACTIONS: readonly [string, (started: Started) => Promise<Answer>][] = [
  ['deletion of a tag', ({ service, tag }) => service.delete(`/v1/tags/${tag}`)],
  ['deletion of a property', ({ service, property }) => service.delete(`/v1/properties/${property}`)],
  [
    'change of a type',
    ({ service, property }) => service.patch(`/v1/properties/${property}`, { type: 'bool' }),
  ],
]

describe.each(ACTIONS)('the %s', (_, act) => {
  test('is refused for a view created after the list was read', async () => {
    const started = await start()
    const { service, tree, newView } = started
    const [made, acted] = await sendWhileHeld(
      service,
      () => newView(tree),
      () => act(started),
    )
    expect([made.status, acted.body.error]).toEqual([201, expect.stringContaining('the view "Naming"')])
  })

  test('is refused for a view that names it only since the list was read', async () => {
    const started = await start()
    const { service, tree, newView } = started
    const { id } = (await newView()).body.view
    const [changed, acted] = await sendWhileHeld(
      service,
      () => service.patch(`/v1/views/${id}`, { filter: tree }),
      () => act(started),
    )
    expect([changed.status, acted.body.error]).toEqual([200, expect.stringContaining('the view "Naming"')])
  })

  test('succeeds when its last use was changed or deleted since', async () => {
    const started = await start()
    const { service, tree, newView } = started
    const [changed, deleted] = [(await newView(tree)).body.view.id, (await newView(tree)).body.view.id]
    const lens = (await service.post('/v1/lenses', { name: 'Naming', scope: tree })).body.lens.id
    const answers = await sendWhileHeld(
      service,
      () => service.patch(`/v1/views/${changed}`, { filter: null }),
      () => service.delete(`/v1/views/${deleted}`),
      () => service.delete(`/v1/lenses/${lens}`),
      () => act(started),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })
})
