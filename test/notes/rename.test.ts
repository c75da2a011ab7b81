import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { sizesOf, storedValues } from '../support/database.ts'
import { makeNote, type NoteAnswer, readNote, revisionsOf } from '../support/notes.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

const folder = newFolder()
let service: TestService
beforeEach(async () => {
  service = await startService({ file: folder.file(`${crypto.randomUUID()}.db`) })
})
afterEach(() => service.close())
afterAll(() => folder.remove())

const rename = async ({ id }: { id: string }, patch: object) => {
  const { status, body } = await service.patch(`/v1/notes/${id}`, { ...patch, rewrite_links: true })
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return body as { note: NoteAnswer; links_rewritten: number }
}
const contentOf = async ({ id }: { id: string }) => (await readNote(service, id)).content
const changesAfter = async (cursor: string) =>
  (await service.get(`/v1/changes?after=${cursor}`)).body.changes as Record<string, unknown>[]
const cursorNow = async () => (await service.get('/v1/changes?after=now')).body.cursor as string
const backlinksOf = async ({ id }: { id: string }) =>
  (await service.get(`/v1/notes/${id}/links`)).body.backlinks.map((note: NoteAnswer) => note.title)

describe('a new title', () => {
  test('is written into every link that led to the note by the old one, and into no other', async () => {
    const ada = await makeNote(service, { title: 'Ada', alias: 'countess' })
    const content = `[[Ada]] ![[ADA|her]] [[ ada ]] [[Ada|]] \`[[Ada]]\` [[countess]] [[${ada.id}]] [[Adam]]
\`\`\`
[[Ada]]
\`\`\`
Ada [Ada](Ada) [[Ada]]`
    const from = await makeNote(service, { title: 'From', content })
    const other = await makeNote(service, { title: 'Adam', content: '[[Nobody]]' })
    const { note, links_rewritten } = await rename(ada, { title: 'Ada Lovelace' })
    expect([note.title, links_rewritten]).toEqual(['Ada Lovelace', 5])
    expect(
      await contentOf(from),
    ).toBe(`[[Ada Lovelace]] ![[Ada Lovelace|her]] [[Ada Lovelace]] [[Ada Lovelace|]] \`[[Ada]]\` [[countess]] [[${ada.id}]] [[Adam]]
\`\`\`
[[Ada]]
\`\`\`
Ada [Ada](Ada) [[Ada Lovelace]]`)
    expect(await backlinksOf(ada)).toEqual(['From'])
    expect(await readNote(service, other.id)).toEqual(other)
  })

  test('creates a revision and a log entry for each note, in one transaction, and changes their updated_at', async () => {
    const ada = await makeNote(service, { title: 'Ada', content: 'I am [[Ada]].' })
    const from = await makeNote(service, { title: 'From', content: '[[ada|her]]' })
    const cursor = await cursorNow()
    const { note } = await rename(ada, { title: 'Countess' })
    expect(note.content).toBe('I am [[Countess]].')
    const after = await readNote(service, from.id)
    expect(after.content).toBe('[[Countess|her]]')
    expect(after.updated_at > from.updated_at).toBe(true)
    expect(await revisionsOf(service, from.id)).toMatchObject([
      { content: '[[ada|her]]', title: 'From', surface: 'api' },
    ])
    expect(await revisionsOf(service, ada.id)).toMatchObject([{ content: 'I am [[Ada]].', title: 'Ada' }])
    const changes = await changesAfter(cursor)
    expect(changes).toMatchObject([
      { kind: 'note', op: 'updated', id: ada.id, changed: ['title', 'content'], previous: { title: 'Ada' } },
      { kind: 'note', op: 'updated', id: from.id, changed: ['content'], previous: {} },
    ])
    expect(new Set(changes.map(({ transaction }) => transaction)).size).toBe(1)
    const { transaction } = changes[0] as { transaction: string }
    expect((await service.post('/v1/changes/undo', { transaction })).body.undone).toHaveLength(2)
    expect([await contentOf(from), (await readNote(service, ada.id)).title]).toEqual(['[[ada|her]]', 'Ada'])
  })

  test('is found by a search in the notes that link, and the old one is not', async () => {
    const ada = await makeNote(service, { title: 'Ada' })
    await makeNote(service, { title: 'From', content: '[[Ada]]' })
    await rename(ada, { title: 'Countess' })
    const found = async (word: string) =>
      (await service.get(`/v1/notes?search=${word}&sort=title`)).body.notes.map(
        (note: NoteAnswer) => note.title,
      )
    expect([await found('countess'), await found('ada')]).toEqual([['Countess', 'From'], []])
  })

  test.each([
    ['holds a bar', 'Ada | Countess'],
    ['holds the end of a link', 'Ada]] now'],
    ['ends in a bracket', 'Ada [1815]'],
    ['begins with a bracket', '[Ada]'],
    ['holds a backtick', 'The `Ada'],
    ['is that of an older note', 'OLDER'],
    ['is the alias of another note', 'nick'],
  ])('that %s rewrites the links by id, with their text as label', async (_, title) => {
    await makeNote(service, { title: 'Older', alias: 'nick' })
    const ada = await makeNote(service, { title: 'Ada' })
    const from = await makeNote(service, { title: 'From', content: '`x` [[Ada]] [[ada|her]] [[ADA|]] `y`' })
    expect((await rename(ada, { title })).links_rewritten).toBe(3)
    expect(await contentOf(from)).toBe(`\`x\` [[${ada.id}|Ada]] [[${ada.id}|her]] [[${ada.id}|ADA]] \`y\``)
    expect(await backlinksOf(ada)).toEqual(['From'])
  })

  test('shared with a newer note resolves here, and links to another note stay', async () => {
    const first = await makeNote(service, { title: 'Plan' })
    const second = await makeNote(service, { title: 'plan' })
    await makeNote(service, { title: 'Draft' })
    const from = await makeNote(service, { title: 'From', content: '[[Plan]]' })
    expect((await rename(second, { title: 'Other' })).links_rewritten).toBe(0)
    expect(await contentOf(from)).toBe('[[Plan]]')
    expect((await rename(first, { title: 'Draft' })).links_rewritten).toBe(1)
    expect(await contentOf(from)).toBe('[[Draft]]')
    expect(await backlinksOf(first)).toEqual(['From'])
  })

  test('that differs only in case, or in blanks around it, is written into the links too', async () => {
    const note = await makeNote(service, { title: ' Plan ' })
    const from = await makeNote(service, { title: 'From', content: '[[ plan ]] [[Plan]]' })
    expect((await rename(note, { title: 'PLAN' })).links_rewritten).toBe(1)
    expect(await contentOf(from)).toBe('[[PLAN]] [[Plan]]')
    expect((await rename(note, { title: 'plan' })).links_rewritten).toBe(2)
    expect(await contentOf(from)).toBe('[[plan]] [[plan]]')
  })

  test('is written into the text that is sent with it', async () => {
    const note = await makeNote(service, { title: 'Old', content: 'x' })
    const { note: after, links_rewritten } = await rename(note, {
      title: 'New',
      content: 'see [[old]]',
      tags: ['a'],
    })
    expect([after.content, after.tags, links_rewritten]).toEqual(['see [[New]]', ['a'], 1])
    expect(await revisionsOf(service, note.id)).toHaveLength(1)
  })

  test('is written into trashed notes too, which undo reverts', async () => {
    const ada = await makeNote(service, { title: 'Ada' })
    const from = await makeNote(service, { title: 'From', content: '[[Ada]]' })
    await service.delete(`/v1/notes/${from.id}`)
    const cursor = await cursorNow()
    expect((await rename(ada, { title: 'Countess' })).links_rewritten).toBe(1)
    const [{ transaction }] = (await changesAfter(cursor)) as [{ transaction: string }]
    await service.post(`/v1/notes/${from.id}/restore`)
    expect(await contentOf(from)).toBe('[[Countess]]')
    await service.delete(`/v1/notes/${from.id}`)
    expect((await service.post('/v1/changes/undo', { transaction })).body.code).toBe('stale')
  })
})

test('the undo of a rename reverts changes in the trash', async () => {
  const ada = await makeNote(service, { title: 'Ada' })
  const from = await makeNote(service, { title: 'From', content: '[[Ada]]' })
  await service.delete(`/v1/notes/${from.id}`)
  const cursor = await cursorNow()
  await rename(ada, { title: 'Countess' })
  const [{ transaction }] = (await changesAfter(cursor)) as [{ transaction: string }]
  expect((await service.post('/v1/changes/undo', { transaction })).status).toBe(200)
  await service.post(`/v1/notes/${from.id}/restore`)
  expect(await contentOf(from)).toBe('[[Ada]]')
})

describe('a new alias', () => {
  test('is written into links by the old one; links by one that is cleared go to the title', async () => {
    const ada = await makeNote(service, { title: 'Ada', alias: 'nick' })
    const from = await makeNote(service, { title: 'From', content: '[[NICK]] [[nick|x]] [[ada]]' })
    expect((await rename(ada, { alias: 'al' })).links_rewritten).toBe(2)
    expect(await contentOf(from)).toBe('[[al]] [[al|x]] [[ada]]')
    expect((await rename(ada, { alias: null })).links_rewritten).toBe(2)
    expect(await contentOf(from)).toBe('[[Ada]] [[Ada|x]] [[ada]]')
    expect((await rename(ada, { alias: 'other' })).links_rewritten).toBe(0)
  })

  test('and a new title at once rewrite links by each', async () => {
    const ada = await makeNote(service, { title: 'Ada', alias: 'nick' })
    const from = await makeNote(service, { title: 'From', content: '[[nick]] [[ada]]' })
    expect((await rename(ada, { title: 'Countess', alias: null })).links_rewritten).toBe(2)
    expect(await contentOf(from)).toBe('[[Countess]] [[Countess]]')
  })
})

test('without rewrite_links, or with no new name, no other note is touched', async () => {
  const ada = await makeNote(service, { title: 'Ada' })
  const from = await makeNote(service, { title: 'From', content: '[[Ada]]' })
  expect((await rename(ada, { title: 'Ada', pinned: true })).links_rewritten).toBe(0)
  const plain = await service.patch(`/v1/notes/${ada.id}`, { title: 'B', rewrite_links: false })
  expect([plain.status, Object.keys(plain.body)]).toEqual([200, ['note']])
  expect(await readNote(service, from.id)).toEqual(from)
})

test('changes nothing if a linking note would become too long, or if the note has changed meanwhile', async () => {
  const ada = await makeNote(service, { title: 'Ada' })
  const full = `[[Ada]]${'x'.repeat(999_993)}`
  const from = await makeNote(service, { title: 'From', content: full })
  const small = await makeNote(service, { title: 'Small', content: '[[Ada]]' })
  const cursor = await cursorNow()
  const tooLong = await service.patch(`/v1/notes/${ada.id}`, { title: 'Ada L', rewrite_links: true })
  expect([tooLong.status, tooLong.body.code]).toEqual([400, 'refused'])
  expect(tooLong.body.error).toContain('"From"')
  const stale = { title: 'B', rewrite_links: true, if_unchanged: '2020-01-01T00:00:00.000Z' }
  expect((await service.patch(`/v1/notes/${ada.id}`, stale)).body.code).toBe('stale')
  expect(await changesAfter(cursor)).toEqual([])
  expect((await readNote(service, ada.id)).title).toBe('Ada')
  for (const note of [from, small]) expect(await readNote(service, note.id)).toEqual(note)
})

test('leaves links of other workspaces unchanged', async () => {
  const ada = await makeNote(service, { title: 'Ada' })
  const stranger = service.as(await service.newWorkspace('Elsewhere'))
  const theirs = await makeNote(stranger, { title: 'From', content: `[[Ada]] [[${ada.id}]]` })
  expect((await rename(ada, { title: 'B' })).links_rewritten).toBe(0)
  expect(await readNote(stranger, theirs.id)).toEqual(theirs)
})

test('a rename of many links leaves the indexes equal to the notes', async () => {
  const ada = await makeNote(service, { title: 'Ada' })
  const many = Array.from({ length: 2_500 }, (_, at) => `[[Other ${at}]]`).join(' ')
  const texts = ['[[Ada]] [[Other 1]]', '[[ ada ]] [[ADA]]', '[[Countess]] [[Ada|her]]', `[[Ada]] ${many}`]
  const notes = await Promise.all(
    Array.from({ length: 1_100 }, (_, at) =>
      makeNote(service, { title: `Note ${at}`, content: texts[at === 700 ? 3 : at % 3] }),
    ),
  )
  await service.delete(`/v1/notes/${notes[900]?.id}`)
  await rename(ada, { title: 'Countess' })
  expect(await backlinksOf(ada)).toHaveLength(1_099)
  const targets = "SELECT DISTINCT target FROM note_links WHERE target NOT GLOB 'other*' ORDER BY target"
  expect(storedValues(service, targets)).toEqual(['countess'])
  expect((await runInProcess(['check', '--db', service.ctx.config.db])).out).toBe('ok\n')
  expect(sizesOf(service, "revisions WHERE content LIKE '%[[%ada%'")).toEqual([1_100])
})
