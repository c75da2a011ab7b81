import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { lastHeading, parseLinks } from '../../src/lib/wiki-links.ts'
import { runs } from '../support/counts.ts'

const options = { numRuns: runs(300, 20_000) }

const targets = (body: string) => parseLinks(body).map(({ target }) => target)

const FILE = 'file:01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'

const LINKS: [body: string, targets: string[]][] = [
  ['[[a]] and [[b]]', ['a', 'b']],
  ['[[a]][[a]]', ['a', 'a']],
  ['![[embed]]', ['embed']],
  ['[[a|label]] [[b|]] [[c|x|y]]', ['a', 'b', 'c']],
  ['[[ a ]]', [' a ']],
  ['| [[a\\|label]] | ![[b#c\\|]] | [[d\\]] |', ['a', 'b#c', 'd\\']],
  ['[[]] [[ ]] [[|x]] [ [a]] [[a] ]', []],
  ['[[a\nb]] [[c\r\nd]]', []],
  ['[[[a]]]', ['a']],
  ['[[a[[b]]c]]', ['b']],
  ['[[a]b]]', ['a]b']],
  ['[[a]]]', ['a']],
  [`[[${FILE}|plan.pdf]] [[${FILE}]] [[file:plan.pdf]]`, ['file:plan.pdf']],
  ['`[[a]]` [[b]]', ['b']],
  ['``[[a]] ` [[b]]`` [[c]]', ['c']],
  ['` [[a]]', ['a']],
  ['`` [[a]] `', ['a']],
  ['`[[a]]\n[[b]]` [[c]]', ['c']],
  ['`\n\n[[a]] `', ['a']],
  ['- ` [[a]]\n- ` [[b]]', ['a', 'b']],
  ['# ` [[a]]\n` [[b]]', ['a', 'b']],
  ['\\`[[a]]`', ['a']],
  ['\\\\`[[a]]`', []],
  ['`a\\` [[b]] `c`', ['b']],
  ['\\``[[a]]`', []],
  ['[[a`b]]` [[c]]', ['c']],
  ['```\n[[a]]\n```\n[[b]]', ['b']],
  ['```js\n[[a]]\n``\n[[b]]\n````\n[[c]]', ['c']],
  ['~~~\n[[a]]\n```\n[[b]]\n~~~ \n[[c]]', ['c']],
  ['~~~ `\n[[a]]\n~~~', []],
  ['```\n[[a]]', []],
  ['``` x`\n[[a]]', ['a']],
  ['   ```\n[[a]]\n   ```\n[[b]]', ['b']],
  ['    ```\n\n    [[a]]', ['a']],
  ['1. step\n\n    ```\n    [[a]]\n\n    [[b]]\n    ```\n[[c]]', ['c']],
  ['- ```\n  [[a]]\n  ```\n- [[b]]', ['b']],
  ['```\r\n[[a]]\r\n```\r\n[[b]]', ['b']],
  ['```\r[[a]]\r```\r[[b]]', ['b']],
  ['before [[a]]\n```\n[[b]]\n```\nafter [[c]]', ['a', 'c']],
  ['> ```\n> [[a]]\n\n[[b]]', ['b']],
  ['> ```\n> [[a]]\n[[b]]', ['b']],
  ['> ~~~\n> [[a]]\n> ~~~\n> [[b]]', ['b']],
  ['> > ```\n> > [[a]]\n> [[b]]\n\n[[c]]', ['b', 'c']],
  ['- ```\n  [[a]]\n\n[[b]]', ['b']],
  ['- ~~~\n  [[a]]\n- [[b]]', ['b']],
  ['1) ```\n   [[a]]\n\n   [[b]]\n2) [[c]]', ['c']],
  ['- > ```\n  > [[a]]\n  [[b]]', ['b']],
  ['> - ```\n>   [[a]]\n> - [[b]]\n\n[[c]]', ['b', 'c']],
  ['- a\n  - ```\n    [[a]]\n  - [[b]]\n- [[c]]', ['b', 'c']],
  ['> [!note]\n> ```\n> [[a]]\n\n[[b]]', ['b']],
  ['- a\n\n      ```\n\n[[a]]', ['a']],
  ['<!--\n```\n-->\n[[a]]', ['a']],
]

describe('links', () => {
  for (const [body, expected] of LINKS) {
    test(JSON.stringify(body), () => expect(targets(body)).toEqual(expected))
  }

  test('carry their label as written, none when it is blank', () => {
    expect(parseLinks('[[a| my label ]] [[b| ]] [[c]] [[d\\|x\\|y]]')).toEqual([
      { target: 'a', label: ' my label ', isEscaped: false },
      { target: 'b', label: null, isEscaped: false },
      { target: 'c', label: null, isEscaped: false },
      { target: 'd', label: 'x|y', isEscaped: true },
    ])
  })

  const plain = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[[\]|`~\p{Cc}\\]/gu, ''))
  const word = plain.filter((text) => text.trim() !== '' && !text.startsWith('file:'))
  const piece = fc.oneof(
    plain.map((text) => ({ text, links: [] as string[] })),
    word.map((target) => ({ text: `[[${target}]]`, links: [target] })),
    fc.tuple(word, word).map(([target, label]) => ({ text: `![[${target}|${label}]]`, links: [target] })),
    word.map((target) => ({ text: `\`[[${target}]]\``, links: [] })),
    word.map((target) => ({ text: `\`\` \`[[${target}]]\` \`\``, links: [] })),
    word.map((target) => ({ text: `\n\n\`\`\`\n[[${target}]]\n\n\`\`\`\n`, links: [] })),
    fc.constantFrom('\n', '\r\n', '\n\n').map((text) => ({ text, links: [] })),
  )

  test('are found wherever they stand between text, code and fences', () => {
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const body = pieces.map(({ text }) => text).join('.')
        expect(targets(body)).toEqual(pieces.flatMap(({ links }) => links))
      }),
      options,
    )
  })

  test('of any text contain no opening brackets, line breaks, or bars in the target', () => {
    const unit = fc.constantFrom(
      '[',
      '[[',
      ']]',
      ']',
      '|',
      '`',
      '``',
      '```',
      '\n',
      '\r',
      ' ',
      '\\',
      '~~~',
      'a',
    )
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), (parts) => {
        const body = parts.join('')
        for (const { target, label } of parseLinks(body)) {
          expect(body).toContain(label === null ? `[[${target}` : `[[${target}|${label}]]`)
          expect(target).not.toMatch(/\[\[|\]\]|[|\r\n]/)
          expect(target.trim()).not.toBe('')
        }
      }),
      options,
    )
  })
})

test('the last heading is the text of a level-2 heading that no other heading follows', () => {
  expect(lastHeading('# A\n## B')).toBe('B')
  expect(lastHeading('## B\n### C')).toBeUndefined()
  expect(lastHeading('no heading')).toBeUndefined()
})
