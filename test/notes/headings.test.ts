import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeNote, readNote } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const linksOf = async (id: string, query = '') => (await service.get(`/v1/notes/${id}/links${query}`)).body
const note = (title: string, content = '', more: object = {}) =>
  makeNote(service, { title, content, ...more })

interface Outgoing {
  text: string
  note: { title: string } | null
}
const leadTo = async (id: string) =>
  (await linksOf(id)).outgoing.map(({ text, note: to }: Outgoing) => [text, to?.title ?? null])

describe('a link to a heading', () => {
  test('resolves to the note, by its title, alias or id, also with blanks and several headings', async () => {
    const engines = await note('Engines', '', { alias: 'eng' })
    const texts = ['Engines#Steam', ' engines #Steam ', 'ENG#A#B', `${engines.id}#Steam`, 'Engines#x|label']
    const from = await note('From', texts.map((text) => `[[${text}]]`).join(' '))
    expect(await leadTo(from.id)).toEqual([
      ['Engines#Steam', 'Engines'],
      [' engines #Steam ', 'Engines'],
      ['ENG#A#B', 'Engines'],
      ['Engines#Steam', 'Engines'],
      ['label', 'Engines'],
    ])
    for (const text of texts) {
      const one = await note(`By ${text}`, `[[${text}]]`)
      const { backlinks } = await linksOf(engines.id)
      expect(backlinks.map(({ id }: { id: string }) => id)).toContain(one.id)
    }
    const { nodes } = (await service.get('/v1/graph')).body
    expect(nodes.some(({ kind }: { kind: string }) => kind === 'dangling')).toBe(false)
  })

  test('is a link to the whole title where that holds #, of two titles to the longer one', async () => {
    const whole = await note('C# notes#Part')
    const longer = await note('C# notes')
    await note('C')
    const from = await note('From', '[[C# notes#Part]] [[C# notes#Other]] [[C#x]] [[D#x]]')
    expect(await leadTo(from.id)).toEqual([
      ['C# notes#Part', 'C# notes#Part'],
      ['C# notes#Other', 'C# notes'],
      ['C#x', 'C'],
      ['D#x', null],
    ])
    expect((await linksOf(whole.id)).backlinks).toHaveLength(1)
    expect((await linksOf(longer.id)).backlinks).toHaveLength(1)
  })

  test('without a name resolves to its own note', async () => {
    const from = await note('From', '[[#Heading]] [[#Heading|there]] `[[#no]]`')
    expect(await leadTo(from.id)).toEqual([
      ['#Heading', 'From'],
      ['there', 'From'],
    ])
    await note('#Heading')
    expect(await leadTo(from.id)).toEqual([
      ['#Heading', '#Heading'],
      ['there', '#Heading'],
    ])
  })

  test('keeps its heading when it is rewritten', async () => {
    const engines = await note('Engines', '', { alias: 'eng' })
    const from = await note('From', '[[Engines#A]] [[ engines #A#B|x]] [[eng#C]] [[Engines]]')
    const rename = (patch: object) =>
      service.patch(`/v1/notes/${engines.id}`, { ...patch, rewrite_links: true })
    expect((await rename({ title: 'C#' })).body.links_rewritten).toBe(3)
    expect((await readNote(service, from.id)).content).toBe('[[C##A]] [[C##A#B|x]] [[eng#C]] [[C#]]')
    await note('Other#A')
    await rename({ title: 'Other' })
    expect((await readNote(service, from.id)).content).toBe(
      `[[${engines.id}#A|C##A]] [[${engines.id}#A#B|x]] [[eng#C]] [[Other]]`,
    )
    await rename({ alias: 'motor' })
    expect((await readNote(service, from.id)).content).toContain('[[motor#C]]')
    expect((await linksOf(engines.id)).backlinks).toHaveLength(1)
  })
})

describe('the context of a backlink', () => {
  test('is the text around the first link, with the link marked and all else escaped', async () => {
    const engines = await note('Engines', '', { alias: 'eng' })
    await note('A', '`[[Engines]]` <b>ask</b> about [[Engines#Steam|them]] & [[Engines]].')
    await note('B', `${'word '.repeat(100)}[[eng]]${' after'.repeat(100)}`)
    const { backlinks } = await linksOf(engines.id, '?context=true')
    const [b, a] = backlinks
    expect(a.context).toBe(
      '`[[Engines]]` &lt;b&gt;ask&lt;/b&gt; about <mark>[[Engines#Steam|them]]</mark> &amp; [[Engines]].',
    )
    expect(b.context).toMatch(/^(?:word )+<mark>\[\[eng\]\]<\/mark> after/)
    expect(b.context.replace(/<\/?mark>/g, '')).toHaveLength(200)
    expect('context' in (await linksOf(engines.id)).backlinks[0]).toBe(false)
    expect((await service.get(`/v1/notes/${engines.id}/links?context=1`)).status).toBe(400)
  })
})

describe('mentions', () => {
  const mentionsOf = async (id: string, query = '') =>
    (await service.get(`/v1/notes/${id}/mentions${query}`)).body

  test.each([
    ['Engines', 'we build engines, and more', 'we build <mark>engines</mark>, and more'],
    ['Engines', 'Enginesx xengines engines_ éngines', undefined],
    ['Engines', '[[Engines]] [[x|engines]] `engines`', undefined],
    ['Engines', '```\nengines\n```', undefined],
    ['Engines', '[[Engines]] and engines', '[[Engines]] and <mark>engines</mark>'],
    ['Tea with Ada', 'tea  with ada; tea with Adam', '<mark>tea  with ada</mark>; tea with Adam'],
    ['C++', 'C++ or C', '<mark>C++</mark> or C'],
    ['C++', 'C', undefined],
    ['日本', '私は日本語', '私は<mark>日本</mark>語'],
    ['Café', 'the cafe\u0301 <b>', 'the <mark>café</mark> &lt;b&gt;'],
    ['a "b" (c)', 'A "B" (c)', '<mark>A &quot;B&quot; (c)</mark>'],
  ])('of %j in %j', async (title, content, snippet) => {
    const named = await note(title)
    await note('Other', content)
    const { mentions, total } = await mentionsOf(named.id)
    expect([mentions.map((one: { snippet: string }) => one.snippet), total]).toEqual(
      snippet === undefined ? [[], 0] : [[snippet], 1],
    )
  })

  test('are by the alias, too, not in titles, tags, the trash or the note itself; newest edit first, in pages', async () => {
    const named = await note('Engines', 'engines eng', { alias: 'eng' })
    await note('Engines and more', 'none', { tags: ['engines'] })
    const first = await note('One', 'by eng')
    service.clock.advance(1_000)
    const second = await note('Two', 'by engines')
    const gone = await note('Three', 'engines')
    await service.delete(`/v1/notes/${gone.id}`)
    expect(await mentionsOf(named.id)).toEqual({
      mentions: [
        { id: second.id, title: 'Two', snippet: 'by <mark>engines</mark>' },
        { id: first.id, title: 'One', snippet: 'by <mark>eng</mark>' },
      ],
      total: 2,
      has_more: false,
    })
    const page = await mentionsOf(named.id, '?limit=1')
    expect([page.mentions[0].id, page.total, page.has_more]).toEqual([second.id, 2, true])
    const rest = await mentionsOf(named.id, '?limit=1&offset=1')
    expect([rest.mentions[0].id, rest.total, rest.has_more]).toEqual([first.id, 2, false])
    expect((await mentionsOf(gone.id)).code).toBe('not_found')
  })
})
