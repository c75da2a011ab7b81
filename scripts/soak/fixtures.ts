import type { Client } from './client.ts'
import type { ExpectedNotes } from './oracle/expected-notes.ts'

export const ROWS = 'Parcels'
export const LANES = ['red', 'green', 'blue', 'white'] as const
export const TAGS = ['work', 'home', 'later', 'waiting', 'done'] as const

const STRUCTURE = {
  name: ROWS,
  label_field: 'key',
  fields: [
    { key: 'key', type: 'text', required: true, unique: true },
    { key: 'lane', type: 'select', options: LANES, required: true },
    { key: 'round', type: 'number', required: true },
    { key: 'amount', type: 'number' },
    { key: 'text', type: 'text' },
    { key: 'batch', type: 'text' },
    { key: 'place', type: 'number' },
  ],
  unique_together: [['batch', 'place']],
}

export interface Fixtures {
  readonly structureId: string
  readonly viewId: string
}

/** Creates the structure, the tags and the view that the workload uses. */
export async function createFixtures(api: Client, expected: ExpectedNotes): Promise<Fixtures> {
  // biome-ignore lint/suspicious/noExplicitAny: checked by the caller
  const create = async (path: string, body: object): Promise<any> => {
    const outcome = await api.send({ name: 'prepare', method: 'POST', path, body, status: 201 })
    if (outcome.kind === 'done') return outcome.body
    throw new Error(`POST ${path} did not return 201`)
  }
  const { structure } = await create('/v1/records/structures', STRUCTURE)
  const { note } = await create('/v1/notes', { title: 'Tags', tags: TAGS })
  expected.acknowledge({ ...note, isTrashed: false })
  const { tags } = await api.read('read tags', '/v1/tags')
  const filter = { type: 'tags', op: 'has_any', tag_ids: [tags[0].id] }
  const { view } = await create('/v1/views', { name: 'Tagged', filter })
  return { structureId: structure.id, viewId: view.id }
}
