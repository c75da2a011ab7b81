import { openDataset } from '../dataset.ts'
import { fillWorkspaces } from '../workspaces/fill.ts'
import type { World } from './world.ts'

/** The targets of other callers' requests while the waits are measured. */
export type NeighbourRequest = Pick<World, 'writeKey' | 'smallNote' | 'smallRow'>

/** Adds other workspaces to the file; returns the key and objects to request in one of them. */
export async function addNeighbours(file: string, count: number): Promise<NeighbourRequest> {
  const { ctx, fetch, close } = await openDataset(file)
  const [writeKey = ''] = await fillWorkspaces(ctx, 0, count)
  const post = async (path: string, body: object) => {
    const init = { method: 'POST', headers: { authorization: `Bearer ${writeKey}` } }
    return (await fetch(path, { ...init, body: JSON.stringify(body) })).json()
  }
  const { note } = (await post('/v1/notes', { title: 'Small' })) as { note: { id: string } }
  await post('/v1/records/structures', { name: 'small', fields: [{ key: 'n', type: 'number' }] })
  const { records } = (await post('/v1/records', { structure: 'small', data: { n: 0 } })) as {
    records: readonly [{ id: string }]
  }
  close()
  return { writeKey, smallNote: note.id, smallRow: records[0].id }
}
