import { afterEach, describe, expect, test } from 'bun:test'
import type { AppContext } from '../../../src/context.ts'
import { deleteLens, insertLens, parseLens } from '../../../src/notes/lenses/service.ts'
import { deleteProperty, findPropertyUsage, patchProperty } from '../../../src/notes/properties/operations.ts'
import { deleteTag, findTagUsage } from '../../../src/notes/tags/operations.ts'
import { deleteView, insertView, parseView, patchView } from '../../../src/notes/views/service.ts'
import type { Tx } from '../../../src/storage/writes/transaction.ts'
import { callerOf } from '../../support/cli.ts'
import { makeNote, tagNamed } from '../../support/notes.ts'
import { startService, type TestService } from '../../support/service.ts'

/*
 * Before a tag or property is deleted, every stored filter tree is read, long ones in a worker thread. The transaction
 * of the deletion rereads the trees that changed since.
 */

const open: TestService[] = []
afterEach(() => {
  for (const service of open.splice(0)) service.close()
})

async function start(more: Parameters<typeof startService>[0] = {}) {
  const service = await startService(more)
  open.push(service)
  await makeNote(service, { tags: ['work'] })
  const tag: number = (await tagNamed(service, 'work')).id
  const property: string = (await service.post('/v1/properties', { key: 'due', type: 'text' })).body.property
    .id
  return { service, ctx: service.ctx, caller: callerOf(service), tag, property }
}

type Started = Awaited<ReturnType<typeof start>>

const treeOf = ({ tag, property }: Pick<Started, 'tag' | 'property'>) => ({
  type: 'group',
  match: 'any',
  children: [
    { type: 'tags', op: 'has_any', tag_ids: [tag] },
    { type: 'property', def_id: property, op: 'not_empty' },
  ],
})

/** The caller's actions on the tag or the property that a tree may name. */
const ACTIONS: readonly [string, (started: Started) => Promise<unknown>][] = [
  [
    'deletion of a tag',
    async ({ ctx: { kernel }, caller, tag }) => {
      const id = String(tag)
      const found = await kernel.callAs(caller, findTagUsage, { id })
      return kernel.callAs(caller, deleteTag, { id, found })
    },
  ],
  [
    'deletion of a property',
    async ({ ctx: { kernel }, caller, property: idOrKey }) =>
      kernel.callAs(caller, deleteProperty, await kernel.callAs(caller, findPropertyUsage, { idOrKey })),
  ],
  [
    'change of a type',
    async ({ ctx: { kernel }, caller, property: idOrKey }) => {
      const inUse = await kernel.callAs(caller, findPropertyUsage, { idOrKey })
      return kernel.callAs(caller, patchProperty, { idOrKey, body: { type: 'bool' }, inUse })
    },
  ],
]

const inTransaction = ({ db }: AppContext, run: (tx: Tx) => unknown) => db.write((tx): void => void run(tx))

const newView = (started: Started, tx: Tx, filter: unknown) =>
  insertView(tx, started.caller, parseView({ name: 'Naming', filter })).id
const newLens = (started: Started, tx: Tx, scope: unknown) =>
  insertLens(tx, started.caller, parseLens({ name: 'Naming', scope })).id

describe.each(ACTIONS)('the %s', (_, act) => {
  test('is refused for a view created after the list was read', async () => {
    const started = await start()
    const acting = act(started)
    await inTransaction(started.ctx, (tx) => newView(started, tx, treeOf(started)))
    await expect(acting).rejects.toThrow('the view "Naming"')
  })

  test('is refused for a view that names it only since the list was read', async () => {
    const started = await start()
    const { service, ctx, caller } = started
    const { body } = await service.post('/v1/views', { name: 'Naming' })
    const acting = act(started)
    await inTransaction(ctx, (tx) =>
      patchView.run(tx, caller, { id: body.view.id, body: { filter: treeOf(started) } }),
    )
    await expect(acting).rejects.toThrow('the view "Naming"')
  })

  test('succeeds when its last use was changed or deleted since', async () => {
    const started = await start()
    const { ctx, caller } = started
    const ids: string[] = []
    await inTransaction(ctx, (tx) => {
      const tree = treeOf(started)
      ids.push(newView(started, tx, tree), newView(started, tx, tree), newLens(started, tx, tree))
    })
    const [changed = '', deleted = '', lens = ''] = ids
    const acting = act(started)
    await inTransaction(ctx, (tx) => {
      patchView.run(tx, caller, { id: changed, body: { filter: null } })
      deleteView.run(tx, caller, { id: deleted })
      deleteLens.run(tx, caller, { id: lens })
    })
    expect(await acting).toBeDefined()
  })
})
