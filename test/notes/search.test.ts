import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeNote, type NoteAnswer, tagNamed, titlesFound } from '../support/notes.ts'
import { measureProcessorTime } from '../support/processor-time.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const searched = async (search: string, more = '') =>
  (await service.get(`/v1/notes?search=${encodeURIComponent(search)}${more}`)).body

const makeAll = async (notes: Record<string, unknown>[]) => {
  for (const note of notes) await makeNote(service, note)
}

const fillers = (count: number, content = 'some other words here') =>
  makeAll(Array.from({ length: count }, (_, at) => ({ title: `filler ${at}`, content })))

describe('the rank of a search', () => {
  for (const others of [0, 1, 30]) {
    test(`puts title over tags over body, beside ${others} other notes`, async () => {
      await makeAll([
        { title: 'in the body', content: 'there is a zebra here' },
        { title: 'in a tag', content: 'there is nothing here', tags: ['zebra'] },
        { title: 'zebra', content: 'there is nothing here' },
      ])
      await fillers(others)
      expect(await titlesFound(service, 'zebra')).toEqual(['zebra', 'in a tag', 'in the body'])
      expect(await titlesFound(service, 'zeb*')).toEqual(['zebra', 'in a tag', 'in the body'])
      expect(await titlesFound(service, 'ze*')).toEqual(['zebra', 'in a tag'])
    })
  }

  test('puts title over tags over body, however often a body holds the word and however long the others are', async () => {
    const long = 'nothing of that kind here '.repeat(400)
    await makeAll([
      { title: 'in the body', content: 'zebra '.repeat(5_000) },
      { title: 'a short note', content: 'zebra' },
      { title: 'in a tag', content: long, tags: ['zebra'] },
      { title: 'one zebra among many words', content: long },
    ])
    await fillers(30, long)
    const expected = ['one zebra among many words', 'in a tag', 'in the body', 'a short note']
    expect(await titlesFound(service, 'zebra')).toEqual(expected)
  })

  test('puts a note that holds a word more often, or is shorter, first, and equals by id', async () => {
    await makeAll([
      {
        title: 'once',
        content: 'zebra and then a lot of other words that make this note longer than it was',
      },
      { title: 'thrice', content: 'zebra zebra zebra and then some more words of any kind at all' },
      { title: 'twin', content: 'a zebra there' },
      { title: 'twin', content: 'a zebra there' },
    ])
    await fillers(10)
    const { notes } = await searched('zebra')
    expect(notes.map(({ title }: NoteAnswer) => title)).toEqual(['thrice', 'twin', 'twin', 'once'])
    expect(notes[1].id < notes[2].id).toBe(true)
  })

  test('yields to sort, whose ties are ordered by id in the same direction', async () => {
    await makeAll([
      { title: 'b', content: 'zebra' },
      { title: 'zebra' },
      { title: 'A', content: 'zebra' },
      { title: 'a', content: 'zebra zebra' },
      { title: 'none' },
    ])
    expect(await titlesFound(service, 'zebra', '&sort=title')).toEqual(['A', 'a', 'b', 'zebra'])
    expect(await titlesFound(service, 'zebra', '&sort=title&direction=desc')).toEqual([
      'zebra',
      'b',
      'a',
      'A',
    ])
    expect(await titlesFound(service, 'zebra', '&sort=created_at')).toEqual(['a', 'A', 'zebra', 'b'])
    expect(await titlesFound(service, 'zebra', '&sort=updated_at&direction=asc')).toEqual([
      'b',
      'zebra',
      'A',
      'a',
    ])
  })
})

describe('the pages of a search', () => {
  const pagesOf = async (search: string, more: string) => {
    const pages: string[] = []
    for (let offset = 0; ; offset += 7) {
      const { notes, total, has_more } = await searched(search, `${more}&limit=7&offset=${offset}`)
      pages.push(...notes.map(({ id }: NoteAnswer) => id))
      expect([total, has_more]).toEqual([40, pages.length < 40])
      if (!has_more) return pages
    }
  }

  test('are stable and disjoint, with an exact total', async () => {
    await makeAll(
      Array.from({ length: 40 }, (_, at) => ({
        title: at % 4 === 0 ? 'zebra' : `note ${at}`,
        content: 'zebra '.repeat(at % 3) || 'zebra',
        tags: at % 5 === 0 ? ['zebra', 'stripes'] : [],
      })),
    )
    await fillers(5)
    for (const more of ['', '&sort=title', '&sort=updated_at']) {
      const whole = (await searched('zebra', `${more}&limit=200`)).notes.map(({ id }: NoteAnswer) => id)
      expect(new Set(whole).size).toBe(40)
      expect(await pagesOf('zebra', more)).toEqual(whole)
    }
    expect((await searched('zebra', '&offset=40')).notes).toEqual([])
    expect((await searched('zebra', '&tag=stripes')).total).toBe(8)
    expect((await searched('-stripes zebra')).total).toBe(32)
  })
})

describe('a search', () => {
  test('ANDs words, keeps the order of phrases, takes prefixes and excludes', async () => {
    await makeAll([
      { title: 'one', content: 'the quick brown fox' },
      { title: 'two', content: 'the brown quick fox', tags: ['wild life'] },
      { title: 'three', content: 'quickly' },
    ])
    const found = async (search: string) => (await titlesFound(service, search)).toSorted()
    expect(await found('quick fox')).toEqual(['one', 'two'])
    expect(await found('"quick brown"')).toEqual(['one'])
    expect(await found('quick*')).toEqual(['one', 'three', 'two'])
    expect(await found('fox -"quick brown"')).toEqual(['two'])
    expect(await found('fox -life')).toEqual(['one'])
    expect(await found('quick wild')).toEqual(['two'])
    expect(await found('"wild life" brown')).toEqual(['two'])
    expect(await found('"fox wild"')).toEqual([])
    expect(await found('quic')).toEqual([])
    expect(await found('quick-brown')).toEqual(['one'])
    expect(await found('"quick brown')).toEqual(['one', 'two'])
    for (const nothing of ['-quick', '-quick -fox', '!?', '""', '"', '-', '*', '😀', ' ']) {
      expect(await searched(nothing)).toEqual({ notes: [], total: 0, has_more: false })
    }
  })

  test('looks in bodies for a short prefix that ends a longer passage', async () => {
    await makeNote(service, { title: 'one', content: 'a wash-up after dinner' })
    expect([await titlesFound(service, 'wash-u*'), await titlesFound(service, 'u*')]).toEqual([['one'], []])
  })

  test('ignores case and diacritics, but Thai marks are not diacritics', async () => {
    await makeAll([{ title: 'Crème Brûlée' }, { title: 'ΟΔΥΣΣΕΎΣ' }, { title: 'น้ำใส' }])
    for (const search of ['creme', 'CRÈME', 'brule\u0301e', 'BRULEE']) {
      expect(await titlesFound(service, search)).toEqual(['Crème Brûlée'])
    }
    expect(await titlesFound(service, 'οδυσσευς')).toEqual(['ΟΔΥΣΣΕΎΣ'])
    expect(await titlesFound(service, 'น้ำ')).toEqual(['น้ำใส'])
    expect(await titlesFound(service, 'นำ')).toEqual([])
  })

  test('finds a word whole wherever soft hyphens stand in it, and marks it whole', async () => {
    await makeAll([{ title: 'River', content: 'Donau\u00addampf\u00adschiff \u00ad ahead' }])
    for (const search of [
      'Donaudampfschiff',
      'donau\u00addampfschiff',
      'donaudampf*',
      '"donaudampfschiff ahead"',
    ])
      expect(await titlesFound(service, search)).toEqual(['River'])
    expect(await titlesFound(service, 'donau')).toEqual([])
    expect((await searched('Donaudampfschiff')).notes[0].snippet).toBe(
      '<mark>Donau\u00addampf\u00adschiff</mark> \u00ad ahead',
    )
  })

  test('finds at once what was just written, and no longer what was replaced', async () => {
    const { id } = await makeNote(service, { title: 'x', content: 'first' })
    expect(await titlesFound(service, 'first')).toEqual(['x'])
    await service.patch(`/v1/notes/${id}`, { content: 'second' })
    expect([await titlesFound(service, 'first'), await titlesFound(service, 'second')]).toEqual([[], ['x']])
    await service.post(`/v1/notes/${id}/append`, { text: 'third' })
    await service.post(`/v1/notes/${id}/tags`, { tags: ['fourth'] })
    expect(await titlesFound(service, 'second third fourth')).toEqual(['x'])
    await service.delete(`/v1/notes/${id}/tags/fourth`)
    expect(await titlesFound(service, 'fourth')).toEqual([])
  })

  test('follows the rename and the deletion of a tag at once', async () => {
    await makeNote(service, { title: 'x', tags: ['old name'] })
    const { id } = await tagNamed(service, 'old name')
    await service.patch(`/v1/tags/${id}`, { name: '新しい名前' })
    expect(await titlesFound(service, 'old')).toEqual([])
    expect(await titlesFound(service, '名前')).toEqual(['x'])
    await service.delete(`/v1/tags/${id}`)
    expect(await titlesFound(service, '名前')).toEqual([])
  })

  test('by a prefix that thousands of tags share is exact and quick', async () => {
    for (let at = 0; at < 30; at++) {
      const tags = Array.from({ length: 100 }, (_, tag) => `ab${at * 100 + tag}`)
      await makeNote(service, { title: `carrier ${at}`, content: 'common', tags })
    }
    await makeNote(service, { title: 'abacus', content: 'common' })
    await makeNote(service, { title: 'body only', content: 'common abacus' })
    const processorTime = measureProcessorTime()
    expect((await searched('ab*')).total).toBe(31)
    expect((await searched('ab* common -ab17*')).total).toBe(28)
    expect(await titlesFound(service, 'ab* aba* common')).toEqual(['abacus'])
    expect((await searched('common -ab*')).notes.map(({ title }: NoteAnswer) => title)).toEqual(['body only'])
    expect((await searched('ab*', '&sort=title&limit=1')).notes[0].title).toBe('abacus')
    expect((await searched('ab*', '&tag=ab5')).total).toBe(1)
    expect((await searched('ab*')).notes[0].title).toBe('abacus')
    expect(processorTime()).toBeLessThan(3_000)
  })

  test('finds nothing of another workspace, and counts nothing of it', async () => {
    await makeAll([
      { title: 'one', content: 'zebra apple apple' },
      { title: 'two', content: 'zebra zebra apple' },
      { title: 'three', tags: ['zebra', 'apple'] },
    ])
    const answers = async () => {
      const found = []
      for (const search of ['zebra apple', '"zebra apple"', 'zeb*', 'ze*', 'z* -apple', '00002zebra'])
        found.push(await searched(search, '&sort=title'))
      return found
    }
    const before = await answers()
    expect(before.map(({ total }) => total)).toEqual([3, 2, 3, 1, 0, 0])
    const other = service.as(await service.newWorkspace('Other'))
    for (let at = 0; at < 50; at++) {
      await makeNote(other, { title: 'zebra', content: 'zebra zebra', tags: ['zebra', 'ze'] })
    }
    expect((await other.get('/v1/notes?search=zebra')).body.total).toBe(50)
    expect((await other.get('/v1/notes?search=apple')).body.total).toBe(0)
    expect(await answers()).toEqual(before)
    expect(await titlesFound(service, 'zebra')).toEqual(['three', 'two', 'one'])
  })
})

describe('the snippet', () => {
  const snippet = async (note: object, search: string): Promise<string> => {
    await makeNote(service, { title: 'x', ...note })
    return (await searched(search)).notes[0].snippet
  }
  const withoutMarks = (html: string) => html.replaceAll(/<\/?mark>/g, '')
  const unescaped = (html: string) =>
    withoutMarks(html)
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')

  test('marks every hit and escapes all else', async () => {
    const content = `<b>"Zebra" & 'zebras'</b> zébra`
    expect(await snippet({ content }, 'zebra')).toBe(
      '&lt;b&gt;&quot;<mark>Zebra</mark>&quot; &amp; &#39;zebras&#39;&lt;/b&gt; <mark>zébra</mark>',
    )
    expect((await searched('zeb*')).notes[0].snippet).toContain('<mark>zebras</mark>')
  })

  test('is up to 200 characters around the first hit, whatever the text is', async () => {
    for (const filler of ['word ', '😀', '語', 'ä ', '&', '😀 ']) {
      const content = `${filler.repeat(300)} zebra ${filler.repeat(300)}`
      const html = await snippet({ content }, 'zebra')
      const text = unescaped(html)
      expect(html).toContain('<mark>zebra</mark>')
      expect(text.isWellFormed()).toBe(true)
      expect(content).toContain(text)
      expect(Array.from(text).length).toBeGreaterThan(100)
      expect(Array.from(text).length).toBeLessThanOrEqual(200)
      service.close()
      service = await startService()
    }
  })

  test('begins with a whole character where the hit has no space before it', async () => {
    const content = `${'😀'.repeat(100)}.zebra`
    expect(await snippet({ content }, 'zebra')).toBe(`${'😀'.repeat(29)}.<mark>zebra</mark>`)
  })

  test('marks phrases whole and characters of scripts without spaces exactly', async () => {
    expect(await snippet({ content: '私は東京大学に行く。' }, '京大')).toBe(
      '私は東<mark>京大</mark>学に行く。',
    )
    expect((await searched('東京大学')).notes[0].snippet).toBe('私は<mark>東京大学</mark>に行く。')
    expect(await snippet({ content: 'a quick, brown fox' }, '"quick brown"')).toBe(
      'a <mark>quick, brown</mark> fox',
    )
  })

  test('shows no comments, and no hit in them', async () => {
    const content = 'Before <!-- zebra secret --> the zebra, %% zebra %% after.\n\n```\n<!-- shown -->\n```'
    expect(await snippet({ content }, 'zebra')).toBe(
      'Before  the <mark>zebra</mark>,  after.\n\n```\n&lt;!-- shown --&gt;\n```',
    )
    const hidden = 'Seen.\n\n<!-- okapi\n\nokapi -->\n\nMore.'
    expect(await snippet({ content: hidden }, 'okapi')).toBe('Seen.\n\n\n\nMore.')
    expect(await snippet({ content: hidden, title: 'An okapi' }, 'okapi an')).toBe(
      '<mark>An</mark> <mark>okapi</mark>',
    )
    const long = `${'word '.repeat(1_000)}\n`.repeat(3)
    const far = `${long}<!-- lemur ${long} lemur -->\n${long}The lemur <!-- x --> here`
    expect(await snippet({ content: far }, 'lemur')).toEndWith('The <mark>lemur</mark>  here')
  })

  test('comes from the title or a tag when the hit is there, and only with a search', async () => {
    expect(await snippet({ title: 'A zebra', content: 'text' }, 'zebra')).toBe('A <mark>zebra</mark>')
    expect(await snippet({ content: 'text', tags: ['red panda'] }, 'panda')).toBe('red <mark>panda</mark>')
    expect((await service.get('/v1/notes')).body.notes[0]).not.toHaveProperty('snippet')
  })

  test('is made quickly from long notes, also for a search of many words', async () => {
    const many = Array.from({ length: 160 }, (_, at) => `w${at}`)
    const content = `${'é long text without it '.repeat(40_000)} ${many.join(' ')}`
    for (let at = 0; at < 2; at++) await makeNote(service, { title: `long ${at}`, content })
    await searched('text')
    const processorTime = measureProcessorTime()
    const { notes } = await searched(many.slice(0, 120).join(' '))
    expect(notes[0].snippet).toContain('<mark>w0</mark>')
    expect(processorTime()).toBeLessThan(5_000)
  }, 60_000)
})
