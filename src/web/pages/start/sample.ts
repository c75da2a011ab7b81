import { api } from '../../data/api.ts'
import { applyChanges } from '../../data/apply.ts'
import { invalidate } from '../../data/cache.ts'
import { newIds } from '../../data/new-ids.ts'
import { prefer, preferences } from '../../data/preferences.ts'
import { request } from '../../data/request.ts'
import { session } from '../../data/session.ts'

const SAMPLE_TABLE = 'Books (sample)'
const BOOKS: readonly (readonly [title: string, state: string, pages: number, rating: number | null])[] = [
  ['The Left Hand of Darkness', 'Read', 304, 5],
  ['Invisible Cities', 'Read', 165, 4],
  ['The Dispossessed', 'Reading', 387, null],
  ['Middlemarch', 'Reading', 880, null],
  ['The Summer Book', 'Next', 184, null],
  ['Austerlitz', 'Next', 415, null],
  ['The Periodic Table', 'Wished for', 233, null],
  ['Walden', 'Wished for', 352, null],
]

const WELCOME = `This is a sample: two notes and a table. You can remove it with one click; nothing else is removed.

## A few things to try
- [ ] Tick this box
- [ ] Follow the link to [[Reading list]]
- [ ] Open the table **${SAMPLE_TABLE}**, drag a column, and look at its board
- [ ] Press Ctrl+K and type a title
`
const READING = `Books to read next, and why. The rows are in the table **${SAMPLE_TABLE}**; everything else is in notes like this one.

> Invisible Cities is short enough for a train ride.

Back to [[Welcome]].
`

/** Creates the sample and stores its IDs in the preferences, so that it can be removed. Returns the ID of its first note. */
export async function createSample(): Promise<string> {
  const { structure } = await api.post('/v1/records/structures', {
    body: {
      name: SAMPLE_TABLE,
      fields: [
        { key: 'title', type: 'text', label: 'Title', required: true },
        { key: 'state', type: 'select', label: 'State', options: ['Wished for', 'Next', 'Reading', 'Read'] },
        { key: 'pages', type: 'number', label: 'Pages' },
        { key: 'rating', type: 'number', label: 'Rating' },
      ],
    },
  })
  const notes = newIds(2)
  const workspace = session.peek()?.workspace.id ?? ''
  prefer({ sample: { workspace, structure: structure.id, notes } })
  const [welcome = '', reading = ''] = notes
  await applyChanges([
    note(reading, 'Reading list', READING),
    note(welcome, 'Welcome', WELCOME),
    ...newIds(BOOKS.length + notes.length)
      .slice(notes.length)
      .map((id, at) => {
        const [title, state, pages, rating] = BOOKS[at] ?? BOOKS[0] ?? []
        return {
          kind: 'record' as const,
          op: 'created' as const,
          id,
          structure: structure.id,
          data: { title, state, pages, rating } as never,
        }
      }),
  ])
  await api.post('/v1/records/views', {
    body: { structure: structure.id, name: 'Board', kind: 'board', group_by: 'state' },
  })
  await invalidate(new Set(['note', 'record', 'structure', 'row_view']))
  return welcome
}

const note = (id: string, title: string, content: string) => ({
  kind: 'note' as const,
  op: 'created' as const,
  id,
  data: { title, content, tags: ['sample'] } as never,
})

/** Removes the sample: moves its notes to the trash and deletes its table. Ignores what is already deleted. */
export async function removeSample(): Promise<void> {
  const { sample } = preferences.peek()
  if (!sample) return
  const gone = (removing: Promise<unknown>) => removing.catch(() => undefined)
  for (const id of sample.notes) await gone(api.delete('/v1/notes/{id}', { params: { id } }))
  await gone(request('DELETE', `/app/api/structures/${sample.structure}`, { body: { name: SAMPLE_TABLE } }))
  prefer({ sample: undefined })
  await invalidate(new Set(['note', 'tag', 'record', 'structure', 'row_view']))
}
