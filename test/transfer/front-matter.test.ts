import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { parseSimpleYaml, splitFrontMatter } from '../../src/transfer/front-matter.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { measureProcessorTime } from '../support/processor-time.ts'

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

test(
  'the simple parser returns what the full YAML parser returns',
  () => {
    const written =
      'a Key : : - - [ ] , , " \' # 0 12 007 -3 1.5 e3 2026-11-21 true True null ~ yes é a/b . .. ... --- | > &x *x ! % @ ` { } ? \\ _ / .inf <<'
    const blanks = [' ', '  ', '\n', '\r\n', '\t', ': ', '- ', ', ', ' #', '? ', 'two words']
    const piece = fc.constantFrom(...written.split(' '), ...blanks)
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
      { numRuns: runs(5_000, 500_000) },
    )
    expect(read).toBeGreaterThan(100)
  },
  RANDOM_CASES_MS,
)

describe('hostile front matter takes milliseconds', () => {
  const N = 30_000
  const HOSTILE: [string, string][] = [
    ['spaces before a line separator', `a:${' '.repeat(N)}\u2028`],
    ['spaces after a dash', `a:\n-${' '.repeat(N)}\u2028`],
    ['spaces before a carriage return', `a: x${' '.repeat(N)}\rb`],
    ['words in a key', `${'a '.repeat(N)}`],
    ['an endless word', `a: ${'x '.repeat(N)}\u0001`],
    ['brackets', `a: ${'['.repeat(N)}`],
    ['braces', '{a: '.repeat(N)],
    ['dashes', '- '.repeat(N * 10)],
    ['keys', 'a:\n'.repeat(N * 10)],
    ['fences that are none', '---x\n'.repeat(N)],
  ]
  test.each(HOSTILE)('%s', (_, yaml) => {
    splitFrontMatter('---\n? a\n---\n')
    const processorMs = measureProcessorTime()
    splitFrontMatter(`---\n${yaml}\n---\nbody`)
    expect(processorMs()).toBeLessThan(500)
  })
})

test('front matter that is too deep or too long for the full parser stays in the body', () => {
  const deep = `---\nDeep: ${'['.repeat(1_001)}${']'.repeat(1_001)}\n---\nbody`
  expect(splitFrontMatter(deep)).toEqual({ frontMatter: undefined, body: deep })
  const values = `{"a": ${JSON.stringify('x'.repeat(100_000))}}`
  expect(splitFrontMatter(`---\nproperties: ${values}\n---\nbody`).body).toBe('body')
})
