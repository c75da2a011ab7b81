import { expect, test } from 'bun:test'
import { type NoteHead, NoteNames } from '../../src/web/pages/import/plan.ts'
import { randomSource } from '../support/random.ts'
import { startService } from '../support/service.ts'

const TITLES = [
  'Bread',
  'bread',
  ' Bread',
  'Bread#Crust',
  'ÉCLAIR',
  'e\u0301clair',
  'A#B#C',
  'A',
  '#A',
  'Σ',
  'ς',
]
const ALIASES = ['loaf', 'Éclair', 'A#B', 'Bread#crumb', 'Bread', 'crust', 'Oven#door']

test('an import in a browser finds the note that the server finds', async () => {
  const service = await startService()
  const random = randomSource(7)
  const free = [...ALIASES]
  for (let made = 0; made < 30; made++) {
    const [alias, ...aliases] = free.splice(0, random(3))
    const title = TITLES[random(TITLES.length)] ?? ''
    await service.post('/v1/notes', { title, ...(alias !== undefined && { alias, aliases }) })
    service.clock.advance(random(2))
  }
  const { notes } = (await service.get('/v1/notes?limit=200')).body
  const heads: NoteHead[] = notes.map((note: NoteHead & { created_at: string }) => ({
    ...note,
    created_at_ms: Date.parse(note.created_at),
  }))
  const names = new NoteNames(heads)
  const targets = [...TITLES, ...ALIASES, ...heads.map(({ id }) => id), 'Nowhere']
  const written = targets.flatMap((target) => [
    target,
    ` ${target} `,
    `${target}#Part`,
    `${target}#Part#Deep`,
    target.toUpperCase(),
  ])
  const { id } = (await service.post('/v1/notes', { title: 'Links' })).body.note
  for (const target of written) {
    await service.patch(`/v1/notes/${id}`, { content: `[[${target}]]` })
    const [link] = (await service.get(`/v1/notes/${id}/links`)).body.outgoing
    expect([target, names.find(target)?.id]).toEqual([target, link.note?.id])
  }
  service.close()
})
