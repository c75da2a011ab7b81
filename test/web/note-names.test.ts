import { expect, test } from 'bun:test'
import { targetKey } from '../../src/lib/wiki-links.ts'
import { resolveTarget } from '../../src/notes/links/resolve-target.ts'
import { type NoteHead, NoteNames } from '../../src/web/pages/import/plan.ts'
import { callerOf } from '../support/cli.ts'
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
  const { workspacePk } = callerOf(service)
  const random = randomSource(7)
  const free = [...ALIASES]
  for (let made = 0; made < 30; made++) {
    const [alias, ...aliases] = free.splice(0, random(3))
    const title = TITLES[random(TITLES.length)] ?? ''
    await service.post('/v1/notes', { title, ...(alias !== undefined && { alias, aliases }) })
    service.clock.advance(random(2))
  }
  const { sql } = service.ctx.db
  const heads = sql
    .all<NoteHead & { pk: number; further: string }>(
      `SELECT pk, id, title, alias, coalesce(aliases, '[]') AS further, created_at AS created_at_ms
       FROM notes ORDER BY id DESC`,
    )
    .map((note) => ({ ...note, aliases: JSON.parse(note.further) as string[] }))
  const names = new NoteNames(heads)
  const pkOf = new Map(heads.map(({ id, pk }) => [id, pk]))
  const targets = [...TITLES, ...ALIASES, ...heads.map(({ id }) => id), 'Nowhere', '']
  for (const target of targets)
    for (const written of [
      target,
      ` ${target} `,
      `${target}#Part`,
      `${target}#Part#Deep`,
      target.toUpperCase(),
    ]) {
      const found = names.find(written)
      expect([written, found && pkOf.get(found.id)]).toEqual([
        written,
        resolveTarget(service.ctx.db, workspacePk, targetKey(written)),
      ])
    }
  service.close()
})
