import { describe, expect, test } from 'bun:test'
import type { Token, Tokens } from 'marked'
import { tokensOf } from '../../src/lib/markdown.ts'
import { fileIdOf, safeLink } from '../../src/lib/markdown-links.ts'
import { linksOfText } from '../../src/web/pages/notes/editor/outgoing.ts'
import { linksIn } from '../../src/web/pages/notes/preview/links-in.ts'
import { ownImage } from '../../src/web/pages/notes/preview/tokens.ts'

const ID = '0190c3f0-0000-7000-8000-000000000000'

/** Returns every token of a text, including nested ones. */
const all = (tokens: readonly Token[]): Token[] =>
  tokens.flatMap((token) => [token, ...all((token as Tokens.Generic).tokens ?? [])])

describe('a preview', () => {
  test('takes links between notes out of the text, but not out of code', () => {
    const found = all(tokensOf('[[One]] and ![[Two|a label]] but not `[[Three]]`'))
      .filter(({ type }) => type === 'wiki')
      .map((token) => token as Tokens.Generic)
    expect(found.map(({ target, label, isEmbed }) => [target, label, isEmbed])).toEqual([
      ['One', undefined, false],
      ['Two', 'a label', true],
    ])
  })

  test('keeps labelled links in tables intact, and bars in code unchanged', () => {
    const text = '| a | b |\n|---|---|\n| [[One|the first]] | [[Two\\|the second]] |\n\n`[[a|b]]` [[c|d|e]]'
    const found = all(
      tokensOf(text).flatMap((token) =>
        token.type === 'table' ? (token as Tokens.Table).rows.flat().flatMap(({ tokens }) => tokens) : token,
      ),
    ).map((token) => token as Tokens.Generic)
    const links = found.filter(({ type }) => type === 'wiki')
    expect(links.map(({ target, label }) => [target, label])).toEqual([
      ['One', 'the first'],
      ['Two', 'the second'],
      ['c', 'd|e'],
    ])
    expect(found.find(({ type }) => type === 'codespan')?.text).toBe('[[a|b]]')
  })

  test('follows links with an escaped bar while a text is edited', () => {
    const one = { id: '1', title: 'One' }
    const two = { id: '2', title: 'Two' }
    const links = linksOfText('| [[One\\|the \\| first]] | [[Two]] |', [
      { text: 'the | first', note: one },
      { text: 'Two', note: two },
    ])
    expect([...links]).toEqual([
      ['one', one],
      ['two', two],
    ])
  })

  test('renders marked text and formulas with their content, and leaves other signs unchanged', () => {
    const shown = (tokens: readonly Token[]): unknown[] =>
      tokens.map((token) => {
        const { type, tokens: inner, text, raw } = token as Tokens.Generic
        if (type === 'math') return { math: text }
        return inner ? { [type]: shown(inner) } : type === 'text' ? text : raw
      })
    const inlineOf = (text: string) => shown((tokensOf(text)[0] as Tokens.Paragraph).tokens)
    expect(inlineOf('a ==b *c* [[D]]== e')).toEqual([
      'a ',
      { mark: ['b ', { em: ['c'] }, ' ', '[[D]]'] },
      ' e',
    ])
    expect(inlineOf('==*c*==')).toEqual([{ mark: [{ em: ['c'] }] }])
    expect(inlineOf('$$\na_1 * b * \\frac ==c==\n$$')).toEqual([{ math: 'a_1 * b * \\frac ==c==' }])
    expect(inlineOf('x $$a$$ and ==$$b$$==')).toEqual([
      'x ',
      { math: 'a' },
      ' and ',
      { mark: [{ math: 'b' }] },
    ])
    for (const text of [
      'a == b',
      'a == b == c',
      '==',
      '==== a ====',
      '$$',
      '$$$$',
      '5 $ and 6 $$',
      '`==a==`',
    ])
      expect(JSON.stringify(inlineOf(text))).not.toMatch(/mark|math/)
    const [table] = tokensOf('| ==a== |\n|---|\n| $$b$$ |') as [Tokens.Table]
    expect([...table.header, ...table.rows.flat()].map(({ tokens }) => shown(tokens))).toEqual([
      [{ mark: ['a'] }],
      [{ math: 'b' }],
    ])
  })

  test('resolves each link when several have the same label', () => {
    const [one, two, three, four] = ['1', '2', '3', '4'].map((id) => ({ id, title: `Note ${id}` }))
    const text = [
      '`[[Code|here]]` [[One|here]] [[Nowhere|here]]',
      '| a | b |\n|---|---|\n| [[a]b]] | [[Four]] |',
      '> [[Two|here]]',
      '- [[ONE]] and [[3]] and [[Two| ]] and [[Nowhere]]',
    ].join('\n\n')
    const outgoing = [
      { text: 'here', note: one },
      { text: 'here', note: null },
      { text: 'a]b', note: null },
      { text: 'Four', note: four },
      { text: 'here', note: two },
      { text: 'ONE', note: one },
      { text: 'Note 3', note: three },
      { text: 'Two', note: two },
      { text: 'Nowhere', note: null },
    ].map(({ text, note }) => ({ text, note: note ?? null }))
    expect([...linksIn(text, outgoing)].map(([target, { id }]) => [target, id])).toEqual([
      ['one', '1'],
      ['four', '4'],
      ['two', '2'],
      ['3', '3'],
    ])
  })

  test.each([
    'javascript:alert(1)',
    ' JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '/v1/notes',
    '',
  ])('does not link %p', (address) => expect(safeLink(address)).toBeUndefined())

  test('links web and mail addresses', () => {
    expect(safeLink('https://example.org/a?b#c')).toBe('https://example.org/a?b#c')
    expect(safeLink('mailto:ida@example.org')).toBe('mailto:ida@example.org')
  })

  test('shows pictures of this workspace alone', () => {
    expect(ownImage(`/v1/files/${ID}/content`)).toBe(`/v1/files/${ID}/content`)
    for (const address of [
      'https://elsewhere.example/x.png',
      `//elsewhere.example/v1/files/${ID}/content`,
      `/v1/files/${ID}/content?x`,
      '/v1/files/../me',
    ])
      expect(ownImage(address)).toBeUndefined()
    expect(fileIdOf(`file:${ID}`)).toBe(ID)
    expect(fileIdOf('file:../../me')).toBeUndefined()
  })
})
