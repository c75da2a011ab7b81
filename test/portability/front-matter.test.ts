import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { parseSimpleYaml } from '../../src/portability/front-matter.ts'
import { runs } from '../support/counts.ts'

test('front matter in its most common form is parsed without the full YAML parser', () => {
  const yaml = [
    ...['title: Some note', 'tags: [a, b/c, "#d"]', 'aliases:', '  - One', "  - 'Two, three'", 'rating: -4'],
    ...['done: true', 'due: 2026-11-21', 'Due date: ""', 'empty:', 'list: []', 'items:', '- 1', 'last: é'],
  ].join('\r\n')
  expect(parseSimpleYaml(yaml)).toEqual({
    title: 'Some note',
    tags: ['a', 'b/c', '#d'],
    aliases: ['One', 'Two, three'],
    rating: -4,
    done: true,
    due: '2026-11-21',
    'Due date': '',
    empty: null,
    list: [],
    items: [1],
    last: 'é',
  })
})

test('the simple parser returns what the full YAML parser returns', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'Key',
      ': ',
      ':',
      ' ',
      '  ',
      '\n',
      '\r\n',
      '- ',
      '-',
      '[',
      ']',
      ', ',
      ',',
      '"',
      "'",
      '#',
      ' #',
      '0',
      '12',
    ],
    ...[
      '007',
      '-3',
      '1.5',
      'e3',
      '2026-11-21',
      'true',
      'True',
      'null',
      '~',
      'yes',
      'two words',
      'é',
      'a/b',
      '.',
      '..',
    ],
    ...[
      '...',
      '---',
      '|',
      '>',
      '&x ',
      '*x',
      '!',
      '%',
      '@',
      '`',
      '{',
      '}',
      '?',
      '? ',
      '\\',
      '\t',
      '_',
      '/',
      '.inf',
      '<<',
    ],
  )
  const key = fc.constantFrom('a', 'b', 'two words', 'true', 'a-b', 'A_1', '<<', 'null', 'no')
  const value = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))
  const line = fc.oneof(
    fc.tuple(key, value).map(([name, written]) => `${name}: ${written}`),
    key.map((name) => `${name}:`),
    value.map((written) => `  - ${written}`),
    fc.array(value, { maxLength: 3 }).map((words) => `list: [${words.join(', ')}]`),
    value,
  )
  const yaml = fc.array(line, { minLength: 1, maxLength: 5 }).map((lines) => lines.join('\n'))
  let read = 0
  fc.assert(
    fc.property(yaml, (text) => {
      const matter = parseSimpleYaml(text)
      if (matter === undefined) return
      read += 1
      expect(matter).toEqual(parse(text, { uniqueKeys: false, logLevel: 'error' }))
    }),
    { numRuns: runs(20_000, 500_000) },
  )
  expect(read).toBeGreaterThan(100)
}, 120_000)
