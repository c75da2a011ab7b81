import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { faultsIn } from '../support/check.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { makeFile } from '../support/files.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'
import { filesIn } from '../support/vault.ts'
import { exportTo, importFrom } from '../support/workspace-files.ts'

const line = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .map((text) => text.replace(/\p{C}/gu, '').normalize('NFC') || 'x')
const title = fc.oneof(
  line,
  fc.constantFrom('Same', 'same', 'CON', '../up', 'a/b', '...', 'Ünïcode', '日本語', 'a"b', '.hidden'),
  fc.constantFrom(
    '😀'.repeat(500),
    `a.${'b'.repeat(498)}`,
    `.${'日'.repeat(499)}`,
    'Straße',
    'STRASSE',
    'a.日本',
  ),
)
const body = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replaceAll('\0', '')),
  fc.constantFrom(
    '',
    '---\ntitle: no\n---\n',
    '---',
    'a\r\nb\r',
    '\ufeffmark',
    '[[Same|x]] ![[b]]',
    '\n\n---\n',
    ' \u2028\u0085',
  ),
)
const tag = fc.constantFrom('work', 'Ärger', 'a/b', 'null', '仕事', 'x y')
const value = fc.record(
  {
    text: body,
    number: fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, 5, 1e21, -1.5e-7),
    ),
    date: fc.constantFrom('2026-02-28', '0001-01-01'),
    bool: fc.boolean(),
    select: fc.constantFrom('open', 'done'),
    json: fc.jsonValue({ maxDepth: 3 }).filter((json) => json !== null),
  },
  { requiredKeys: [] },
)
const note = fc.record({
  title,
  content: body,
  tags: fc.uniqueArray(tag, { maxLength: 3 }),
  properties: value,
  change: fc.constantFrom('unchanged', 'trashed', 'pinned', 'quick', 'edited'),
})
const row = fc.record(
  {
    text: body,
    number: fc.double({ noNaN: true, noDefaultInfinity: true }),
    bool: fc.boolean(),
    select: fc.constantFrom('a', 'b'),
  },
  { requiredKeys: [] },
)
const scene = fc.record({
  notes: fc.array(note, { maxLength: 8 }),
  structures: fc.array(
    fc.record({
      rows: fc.array(fc.tuple(row, fc.constantFrom('unchanged', 'deleted', 'edited')), { maxLength: 6 }),
    }),
    { maxLength: 3 },
  ),
  files: fc.array(fc.tuple(title, fc.uint8Array({ maxLength: 50 }), fc.boolean()), { maxLength: 3 }),
  lenses: fc.nat({ max: 3 }),
  defaultLens: fc.nat({ max: 2 }),
})
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never

const TYPES = ['text', 'number', 'date', 'bool', 'select', 'json']

/** Creates everything in the scene through the API. */
async function play(
  service: TestService,
  { notes, structures, files, lenses, defaultLens }: Scene,
): Promise<void> {
  for (const type of TYPES)
    await service.post('/v1/properties', {
      key: type,
      type,
      ...(type === 'select' && { options: ['open', 'done'] }),
    })
  const noteIds: string[] = []
  for (const { change, ...input } of notes) {
    service.clock.advance(1_000)
    const { status, body: answer } = await service.post('/v1/notes', input)
    expect([status, answer.properties_error]).toEqual([201, null])
    const { id } = answer.note
    if (change === 'trashed') await service.delete(`/v1/notes/${id}`)
    else noteIds.push(id)
    if (change === 'edited') await service.post(`/v1/notes/${id}/append`, { text: 'more' })
    if (change === 'pinned')
      await service.patch(`/v1/notes/${id}`, {
        ...{ pinned: true, pin_label: 'Pin', alias: `alias ${id}` },
        aliases: [`second ${id}`, `third ${id}`],
      })
    if (change === 'quick')
      await service.post('/v1/quick-access', { note_id: id, color: '#00ff00', position: 0 })
  }
  await makeSaved(service, lenses, defaultLens)
  for (const [at, { rows }] of structures.entries()) await makeStructure(service, at, rows, noteIds)
  for (const [name, bytes, isAttached] of files) {
    service.clock.advance(1_000)
    const noteId = isAttached ? (noteIds[0] ?? null) : null
    await makeFile(service, { name, noteId, bytes })
  }
  await service.patch('/v1/properties/select', { options: ['done', 'late'] })
}

async function makeSaved(service: TestService, lenses: number, defaultLens: number): Promise<void> {
  await service.post('/v1/presets', {
    name: 'Preset',
    tags: ['work', 'new'],
    properties: [{ key: 'select', value: 'open' }],
    ask: [{ key: 'text' }],
    content: '## {{date}}\n',
  })
  const { body: listed } = await service.get('/v1/tags')
  const ids = listed.tags.map(({ id }: { id: number }) => id)
  const filter = { type: 'group', match: 'any', children: [{ type: 'tags', op: 'has_any', tag_ids: ids }] }
  await service.post('/v1/views', {
    name: 'View',
    filter,
    sort: { field: 'property', property: 'number' },
    is_default: true,
  })
  await service.post('/v1/views', { name: 'All', display_properties: ['date'], show_tags: false })
  const made: string[] = []
  for (let number = 0; number < lenses; number++) {
    service.clock.advance(5)
    const { body: answer } = await service.post('/v1/lenses', {
      name: `Lens ${number}`,
      scope: filter,
      settings: { look: { arrows: false } },
    })
    made.push(answer.lens.id)
  }
  const other = made[defaultLens]
  if (other) await service.patch(`/v1/lenses/${other}`, { is_default: true })
  await service.put(`/v1/tags/${ids[0]}/links`, { linked_tag_ids: ids.slice(1) })
}

async function makeStructure(
  service: TestService,
  at: number,
  rows: Scene['structures'][number]['rows'],
  notes: string[],
) {
  const fields = [
    { key: 'text', type: 'text', label: 'Words' },
    { key: 'number', type: 'number', unit: 'kg' },
    { key: 'bool', type: 'bool' },
    { key: 'select', type: 'select', options: ['a', 'b'] },
    { key: 'note', type: 'note' },
    { key: 'row', type: 'record', structure: `Rows ${at}` },
    { key: 'n', type: 'number', unique: true },
  ]
  await service.post('/v1/records/structures', {
    name: `Rows ${at}`,
    fields,
    label_field: 'text',
    description: 'Rows.',
  })
  await service.post('/v1/webhooks', {
    structure: `Rows ${at}`,
    url: 'https://hooks.example.com/rows',
    filter: [{ field: 'n', op: 'gt', value: at }],
    ...(at === 1 && { fields: ['text'], enabled: false, ignore_own_key: true }),
  })
  for (const [name, more] of [
    ['Board', { kind: 'board', group_by: 'select', locked: true }],
    ['Mine', { personal: true }],
    ['First', { position: 0, columns: [{ key: 'n', width: 80 }, { key: 'text' }] }],
  ])
    await service.post('/v1/records/views', { structure: `Rows ${at}`, name, sort: 'n', ...(more as object) })
  let last: string | undefined
  for (const [n, [data, change]] of rows.entries()) {
    service.clock.advance(10)
    const more = { n, ...(notes[0] && { note: notes[0] }), ...(last && { row: last }) }
    const { status, body: answer } = await service.post('/v1/records', {
      structure: `Rows ${at}`,
      data: { ...data, ...more },
    })
    expect(status).toBe(201)
    const { id } = answer.records[0]
    if (change === 'deleted') await service.delete(`/v1/records/${id}`)
    if (change === 'edited') await service.patch(`/v1/records/${id}`, { data: { text: 'edited' } })
    last = change === 'deleted' ? last : id
  }
}

const PATHS = [
  '/v1/notes',
  '/v1/notes?sort=edited_at',
  '/v1/notes/trash',
  '/v1/tags',
  '/v1/properties',
  '/v1/records/structures',
  '/v1/presets',
  '/v1/views',
  '/v1/lenses',
  '/v1/quick-access',
  '/v1/files',
  '/v1/webhooks',
]

/** Everything that the API returns about a workspace. */
async function responses(service: TestService): Promise<unknown[]> {
  const { body: listed } = await service.get('/v1/records/structures')
  const rows = listed.structures.map(({ id }: { id: string }) => `/v1/records?structure=${id}`)
  const { body: views } = await service.get('/v1/views')
  const shown = views.views.map(({ id }: { id: string }) => `/v1/views/${id}/notes`)
  const all = [...PATHS, ...rows, ...shown, '/v1/notes?search=a*']
  // Users are not imported; a view finds its owner by name.
  const { row_views } = (await service.get('/v1/records/views')).body
  const owned = row_views.map(({ owner, ...view }: { owner: { name: string } }) => ({
    ...view,
    owner: owner.name,
  }))
  return [owned, ...(await Promise.all(all.map(async (path) => [path, (await service.get(path)).body])))]
}

test(
  'an exported workspace is equal after an import, and its export is byte for byte the same',
  async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (played) => {
        const folder = newFolder()
        const [first, second] = [await startService(), await startService()]
        try {
          await play(first, played)
          exportTo(first, folder.file('first'))
          const report = await importFrom(second, folder.file('first'))
          expect([report.isWritten, report.refused]).toEqual([true, []])
          exportTo(second, folder.file('second'))
          expect(filesIn(folder.file('second'), 'latin1')).toEqual(filesIn(folder.file('first'), 'latin1'))
          expect(await responses(second)).toEqual(await responses(first))
          expect(faultsIn(second)).toEqual([])
        } finally {
          first.close()
          second.close()
          folder.remove()
        }
      }),
      { numRuns: runs(12, 300) },
    )
  },
  RANDOM_CASES_MS,
)
