import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeFile } from '../support/files.ts'
import { makeNote, readNote } from '../support/notes.ts'
import { measureProcessorTime } from '../support/processor-time.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const linksOf = async (id: string) => (await service.get(`/v1/notes/${id}/links`)).body
const outgoing = async (id: string) =>
  (await linksOf(id)).outgoing.map(({ text, note }: { text: string; note: { title: string } | null }) => [
    text,
    note?.title ?? null,
  ])
const backlinkTitles = async (id: string) =>
  (await linksOf(id)).backlinks.map(({ title }: { title: string }) => title)

describe('outgoing links', () => {
  test('are in the order of the body, each occurrence, the unresolved ones with note null', async () => {
    const ada = await makeNote(service, { title: 'Ada' })
    const { id } = await makeNote(service, {
      content: '[[Nobody]] [[Ada|her]] `[[code]]` ![[ada]] [[Ada|her]]',
    })
    expect((await linksOf(id)).outgoing).toEqual([
      { text: 'Nobody', note: null },
      { text: 'her', note: { id: ada.id, title: 'Ada' } },
      { text: 'ada', note: { id: ada.id, title: 'Ada' } },
      { text: 'her', note: { id: ada.id, title: 'Ada' } },
    ])
  })

  test('to an id show the title of the note, unless labelled or unresolved', async () => {
    const ada = await makeNote(service, { title: 'Ada' })
    const upper = ada.id.toUpperCase()
    const content = `[[${ada.id}]] [[${upper}]] [[ ${ada.id} ]] [[${ada.id}|x]]`
    const { id } = await makeNote(service, { content })
    expect(await outgoing(id)).toEqual([
      ['Ada', 'Ada'],
      ['Ada', 'Ada'],
      ['Ada', 'Ada'],
      ['x', 'Ada'],
    ])
    await service.delete(`/v1/notes/${ada.id}`)
    expect(await outgoing(id)).toEqual([
      [ada.id, null],
      [upper, null],
      [` ${ada.id} `, null],
      ['x', null],
    ])
  })

  test('resolve an id before an alias before a title, of several titles the oldest', async () => {
    const { id } = await makeNote(service, { title: 'From', content: '[[Name]]' })
    expect(await outgoing(id)).toEqual([['Name', null]])
    const oldest = await makeNote(service, { title: 'NAME', content: 'oldest' })
    await makeNote(service, { title: 'name', content: 'younger' })
    const resolved = async () => (await linksOf(id)).outgoing[0].note.id
    expect(await resolved()).toBe(oldest.id)
    const aliased = await makeNote(service, { title: 'Other', alias: 'nAme' })
    expect(await resolved()).toBe(aliased.id)
    const named = await makeNote(service, { title: 'Third', alias: oldest.id })
    await service.patch(`/v1/notes/${id}`, { content: `[[${oldest.id}]]` })
    expect(await resolved()).toBe(oldest.id)
    await service.delete(`/v1/notes/${oldest.id}`)
    expect(await resolved()).toBe(named.id)
  })

  test('to a title follow renames, trash and restore at once', async () => {
    const { id } = await makeNote(service, { title: 'From', content: '[[Plan]]' })
    const first = await makeNote(service, { title: 'Plan' })
    const second = await makeNote(service, { title: 'Draft' })
    await service.patch(`/v1/notes/${first.id}`, { title: 'Old plan' })
    expect(await outgoing(id)).toEqual([['Plan', null]])
    await service.patch(`/v1/notes/${second.id}`, { title: 'PLAN' })
    expect(await outgoing(id)).toEqual([['Plan', 'PLAN']])
    await service.delete(`/v1/notes/${second.id}`)
    expect(await outgoing(id)).toEqual([['Plan', null]])
    await service.post(`/v1/notes/${second.id}/restore`)
    expect(await outgoing(id)).toEqual([['Plan', 'PLAN']])
  })

  test('ignore case as Unicode has it, and blanks around the target unless a title has them', async () => {
    await makeNote(service, { title: 'ÉTÉ Σ' })
    const { id } = await makeNote(service, { content: '[[ e\u0301te\u0301 σ ]] [[ padded ]]' })
    await makeNote(service, { title: 'padded' })
    expect(await outgoing(id)).toEqual([
      [' e\u0301te\u0301 σ ', 'ÉTÉ Σ'],
      [' padded ', 'padded'],
    ])
    const exact = await makeNote(service, { title: ' Padded ' })
    expect((await linksOf(id)).outgoing[1].note).toEqual({ id: exact.id, title: ' Padded ' })
    expect(await backlinkTitles(exact.id)).toEqual(['A note'])
  })
})

describe('backlinks', () => {
  test('name every note that links, newest edit first, once each', async () => {
    const target = await makeNote(service, { title: 'Target', alias: 't' })
    const contents = {
      title: '[[target]] [[TARGET]]',
      alias: '![[T|x]]',
      id: `[[${target.id}]]`,
      none: '`[[t]]`',
    }
    for (const [title, content] of Object.entries(contents)) {
      await makeNote(service, { title, content })
      service.clock.advance(1)
    }
    const self = await service.patch(`/v1/notes/${target.id}`, { content: '[[Target]]' })
    const { backlinks } = await linksOf(target.id)
    expect(backlinks[0]).toEqual({
      id: target.id,
      title: 'Target',
      updated_at: self.body.note.updated_at,
    })
    expect(await backlinkTitles(target.id)).toEqual(['Target', 'id', 'alias', 'title'])
  })

  test('come from links to the longest title, whatever composing makes of it', async () => {
    // NFC turns U+0958 into two characters, and U+FB2C into three.
    for (const character of ['é', '\u0958', '\ufb2c']) {
      const title = character.repeat(500)
      const { id } = await makeNote(service, { title })
      await makeNote(service, { title: 'as written', content: `[[${title}]]` })
      await makeNote(service, { title: 'decomposed', content: `[[${title.normalize('NFD')}]]` })
      expect(await backlinkTitles(id)).toEqual(['decomposed', 'as written'])
    }
  })

  test('omit notes whose link resolves elsewhere, that are trashed, or that no longer link', async () => {
    const older = await makeNote(service, { title: 'Same' })
    const younger = await makeNote(service, { title: 'same' })
    const { id } = await makeNote(service, { title: 'From', content: '[[Same]]' })
    expect([await backlinkTitles(older.id), await backlinkTitles(younger.id)]).toEqual([['From'], []])
    await service.delete(`/v1/notes/${older.id}`)
    expect(await backlinkTitles(younger.id)).toEqual(['From'])
    await service.delete(`/v1/notes/${id}`)
    expect(await backlinkTitles(younger.id)).toEqual([])
    await service.post(`/v1/notes/${id}/restore`)
    expect(await backlinkTitles(younger.id)).toEqual(['From'])
    await service.post(`/v1/notes/${id}/edit`, { old_str: '[[Same]]' })
    expect(await backlinkTitles(younger.id)).toEqual([])
  })
})

test('a body of links alone is written and read in a few seconds', async () => {
  const content = Array.from({ length: 90_000 }, (_, at) => `[[${at}]]`).join('')
  const processorTime = measureProcessorTime()
  const { id } = await makeNote(service, { content })
  await service.post(`/v1/notes/${id}/append`, { text: 'x' })
  expect((await linksOf(id)).outgoing).toHaveLength(90_000)
  expect(processorTime()).toBeLessThan(10_000)
}, 60_000)

test('a long body is linked as sent, and when it is replaced', async () => {
  const filler = 'word '.repeat(20_000)
  const ada = await makeNote(service, { title: 'Ada' })
  const bob = await makeNote(service, { title: 'Bob' })
  const long = await makeNote(service, { title: 'Long', content: `${filler}[[Ada]] \`[[Bob]]\`` })
  expect(await outgoing(long.id)).toEqual([['Ada', 'Ada']])
  expect(await backlinkTitles(ada.id)).toEqual(['Long'])
  expect(await backlinkTitles(bob.id)).toEqual([])
  await service.patch(`/v1/notes/${long.id}`, { content: `[[Bob]] ${filler}` })
  expect(await backlinkTitles(ada.id)).toEqual([])
  expect(await backlinkTitles(bob.id)).toEqual(['Long'])
})

test('a link in a table, whose bar is escaped, leads and is rewritten like any other', async () => {
  const page = await makeNote(service, { title: 'Page' })
  const file = await makeFile(service, { name: 'a.txt' })
  const content = `| [[Page\\|label]] | [[file:${file}\\|a.txt]] |\n| --- | --- |`
  const from = await makeNote(service, { title: 'From', content })
  expect((await readNote(service, from.id)).content).toBe(content)
  const { body } = await service.get(`/v1/notes/${from.id}/links`)
  expect(body.outgoing).toEqual([{ text: 'label', note: { id: page.id, title: 'Page' } }])
  expect((await service.get(`/v1/notes/${page.id}/links`)).body.backlinks).toMatchObject([{ id: from.id }])
  await service.patch(`/v1/notes/${page.id}`, { title: 'Leaf', rewrite_links: true })
  await service.patch(`/v1/files/${file}`, { file_name: 'b.txt' })
  expect((await readNote(service, from.id)).content).toBe(
    content.replace('Page', 'Leaf').replace('a.txt', 'b.txt'),
  )
})
