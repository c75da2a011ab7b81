import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Token } from 'marked'
import { tokensOf } from '../../src/lib/markdown.ts'
import { EXCERPT_SOURCE, excerptOf } from '../../src/notes/excerpt.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { makeNote } from '../support/notes.ts'
import { startService } from '../support/service.ts'

const ID = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'

describe('an excerpt', () => {
  test.each([
    ['# Heading #\n\nText', 'Heading Text'],
    ['Title\n=====\nmore\n---\nend', 'Title more end'],
    ['one\ntwo\r\nthree', 'one two three'],
    ['- [ ] a\n- [x] b\n  1. c\n* d', 'a b c d'],
    ['> quoted\n> > deeper\n> [!note] Mind', 'quoted deeper Mind'],
    ['**bold *it*** __b__ _i_ ~~gone~~ ==marked==', 'bold it b i gone marked'],
    ['**over\ntwo lines**', 'over two lines'],
    ['snake_case 2 * 3 * 4 a*b', 'snake_case 2 * 3 * 4 a*b'],
    ['see [[Engines]], [[Engines|them]], [[Engines#Steam]]', 'see Engines, them, Engines#Steam'],
    [`see [[${ID}]] and [[${ID}|it]] ![[file:${ID}|map.png]]`, 'see and it map.png'],
    [
      '[text](https://example.com/a_(b) "t") ![alt](x.png) [a][b] <https://example.com>',
      'text alt a https://example.com',
    ],
    ['[**bold** label](x)', 'bold label'],
    ['`code *x*` and ``a ` b``', 'code *x* and a ` b'],
    ['```js\nlet *a* = 1\n```\nafter', 'let *a* = 1 after'],
    ['> ```\n> *a*\n\n*b*', '*a* b'],
    ['- ~~~\n  *a*\n- *b*', '*a* b'],
    ['| A | B |\n| --- | :-: |\n| 1 | [[x|y]] |', 'A B 1 y'],
    ['<b>bold</b> <!-- not\nshown --> x < y', 'bold x < y'],
    ['text[^1]\n\n[^1]: note\n[ref]: https://example.com', 'text note'],
    ['\\*not\\* \\[x\\]', '*not* [x]'],
    ['\n\n***\n\n- - -\n\ntext', 'text'],
    ['', ''],
    ['`open **open [open [[open', '`open **open [open [[open'],
  ])('of %j is %j', (content, excerpt) => {
    expect(excerptOf(content)).toBe(excerpt)
  })

  test('is at most 200 characters long, and cuts none of them in half', () => {
    expect(excerptOf('😀'.repeat(300))).toBe('😀'.repeat(200))
    expect(excerptOf('word '.repeat(100))).toBe('word '.repeat(40).trim())
  })

  test(
    'equals what the application shows, for random documents',
    () => {
      const word = fc.constantFrom('alpha', 'beta', 'x1', 'naïve', '日本', 'it’s', '3.5', '(so)')
      const plain = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
      const styled = fc
        .tuple(fc.constantFrom('**', '*', '_', '__', '~~', '`', '***'), plain)
        .map(([mark, text]) => `${mark}${text}${mark}`)
      const link = fc.oneof(
        plain.map((text) => `[${text}](https://example.com/a "t")`),
        fc.tuple(word, plain).map(([target, label]) => `[[${target}|${label}]]`),
        word.map((target) => `[[${target}]]`),
        plain.map((alt) => `![${alt}](/a.png)`),
        styled.map((text) => `[${text}](x)`),
      )
      const inline = fc
        .array(fc.oneof(plain, styled, link), { minLength: 1, maxLength: 5 })
        .map((parts) => parts.join(' '))
      const block = fc.oneof(
        inline,
        fc
          .tuple(fc.integer({ min: 1, max: 6 }), inline)
          .map(([level, text]) => `${'#'.repeat(level)} ${text}`),
        fc
          .array(inline, { minLength: 1, maxLength: 3 })
          .map((items) => items.map((item) => `- ${item}`).join('\n')),
        fc
          .array(inline, { minLength: 1, maxLength: 3 })
          .map((items) => items.map((item, at) => `${at + 1}. ${item}`).join('\n')),
        inline.map((text) => `> ${text}`),
        inline.map((text) => `- [ ] ${text}`),
        plain.map((text) => `\`\`\`\n${text}\n\`\`\``),
        fc.constant('---'),
        fc
          .tuple(plain, plain)
          .map(([one, other]) => `| ${one} | ${other} |\n| --- | --- |\n| ${other} | ${one} |`),
      )
      const document = fc.array(block, { maxLength: 6 }).map((blocks) => blocks.join('\n\n'))
      fc.assert(
        fc.property(document, (content) => {
          const shown = wordsOf(tokensOf(content)).replace(/\s+/g, ' ').trim()
          expect(excerptOf(content)).toBe(Array.from(shown).slice(0, 200).join('').trimEnd())
        }),
        { numRuns: runs(1_000, 100_000) },
      )
    },
    RANDOM_CASES_MS,
  )

  test('of any text takes linear time', () => {
    for (const text of [
      '[',
      '![',
      '[[',
      '*',
      '_a',
      '`',
      '<',
      '**a',
      '[](',
      '\\',
      '> ',
      '- ',
      '[a](',
      '~~',
      '|',
    ])
      for (const body of [text.repeat(EXCERPT_SOURCE), `${text}\n`.repeat(EXCERPT_SOURCE)]) {
        const began = performance.now()
        excerptOf(body.slice(0, EXCERPT_SOURCE))
        expect(performance.now() - began).toBeLessThan(1_000)
      }
  })

  test('is in lists, queries and views that ask for it, also of very long notes without their bodies', async () => {
    const service = await startService()
    await makeNote(service, { title: 'Long', content: `**first** ${'word '.repeat(199_000)}` })
    const { view } = (await service.post('/v1/views', { name: 'All' })).body
    const filter = { type: 'group', match: 'all', children: [] }
    for (const { body } of [
      await service.get('/v1/notes?excerpt=true&content=false'),
      await service.get('/v1/notes?excerpt=true&search=first&content=false'),
      await service.post('/v1/notes/query', { filter, excerpt: true, content: false }),
      await service.get(`/v1/views/${view.id}/notes?excerpt=true&content=false`),
    ]) {
      expect(body.notes[0].excerpt).toStartWith('first word word')
      expect(body.notes[0].excerpt).toHaveLength(200)
      expect(body.notes[0].content).toBeUndefined()
    }
    expect((await service.get('/v1/notes')).body.notes[0].excerpt).toBeUndefined()
    expect((await service.get('/v1/notes?excerpt=yes')).status).toBe(400)
    await service.close()
  })
})

/** The text that the application shows for these tokens. */
function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map((token): string => {
      const { type } = token
      if (type === 'wiki') {
        const { target, label } = token as unknown as { target: string; label?: string }
        return label?.trim() ? label : target
      }
      if (type === 'hr' || type === 'space' || type === 'def') return ' '
      if (type === 'list')
        return token.items
          .map((item: Token) => wordsOf('tokens' in item ? (item.tokens ?? []) : []))
          .join(' ')
      if (type === 'table')
        return [token.header, ...token.rows]
          .flat()
          .map((cell: { tokens: Token[] }) => wordsOf(cell.tokens))
          .join(' ')
      if (type === 'checkbox') return ''
      if ('tokens' in token && token.tokens) {
        const inner = wordsOf(token.tokens)
        return ['heading', 'paragraph', 'blockquote'].includes(type) ? ` ${inner} ` : inner
      }
      return type === 'code' ? ` ${token.text} ` : String('text' in token ? token.text : '')
    })
    .join('')
}
