import type { Api } from './api.ts'
import type { NoteLedger } from './note-ledger.ts'

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

export interface Objects {
  readonly structureId: string
  readonly viewId: string
}

/** Makes what the load works on. */
export async function makeObjects(api: Api, ledger: NoteLedger): Promise<Objects> {
  // biome-ignore lint/suspicious/noExplicitAny: an answer is judged by whoever asked
  const made = async (path: string, body: object): Promise<any> => {
    const outcome = await api.send({ name: 'prepare', method: 'POST', path, body, status: 201 })
    if (outcome.kind === 'done') return outcome.body
    throw new Error(`POST ${path} was not answered 201 at the beginning`)
  }
  const { structure } = await made('/v1/records/structures', STRUCTURE)
  const { note } = await made('/v1/notes', { title: 'Tags', tags: TAGS })
  ledger.acknowledge({ ...note, isTrashed: false })
  const { tags } = await api.read('read tags', '/v1/tags')
  const filter = { type: 'tags', op: 'has_any', tag_ids: [tags[0].id] }
  const { view } = await made('/v1/views', { name: 'Tagged', filter })
  return { structureId: structure.id, viewId: view.id }
}
