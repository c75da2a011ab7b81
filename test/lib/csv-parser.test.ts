import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CsvParser, MisplacedQuote } from '../../src/lib/csv-parser.ts'
import { type CsvFileFormat, CsvReader } from '../../src/lib/csv-reader.ts'
import { runs } from '../support/counts.ts'

const read = (text: string, format: CsvFileFormat = {}) => new CsvReader(format).push(text, true)

describe('rows', () => {
  const cell = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.constantFrom('', '"', ',', '\n', '\r\n', 'a"b', ' x '),
  )
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 })

  test('come back as they were written, wherever the text is split', () => {
    const written = fc.record({
      rows: table,
      end: fc.constantFrom('\n', '\r\n'),
      cuts: fc.array(fc.nat(200)),
    })
    fc.assert(
      fc.property(written, ({ rows, end, cuts }) => {
        const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`
        const text = rows.map((cells) => cells.map(quoted).join(',') + end).join('')
        const parser = new CsvParser({ delimiter: ',' })
        const places = [...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
        const parts = places.map((to, at) => text.slice(places[at - 1] ?? 0, to))
        expect(parts.flatMap((part, at) => parser.push(part, at === parts.length - 1))).toEqual(rows)
      }),
      { numRuns: runs(100, 5_000) },
    )
  })

  test.each<[string, string, CsvFileFormat, string[][]]>([
    [
      'quotes escaped by a backslash',
      'a,b\n"x \\"y\\" z",1\n',
      { escapeCharacter: '\\' },
      [
        ['a', 'b'],
        ['x "y" z', '1'],
      ],
    ],
    [
      'an escape at the end of a cell',
      'a,b\n"x\\\\",1\n',
      { escapeCharacter: '\\' },
      [
        ['a', 'b'],
        ['x\\', '1'],
      ],
    ],
    [
      'escapes outside quotes',
      'a,b\nx\\,y,\\N\n',
      { escapeCharacter: '\\' },
      [
        ['a', 'b'],
        ['x,y', ''],
      ],
    ],
    [
      'escapes and doubled quotes',
      'a,b\n"x ""y\\"",1\n',
      { escapeCharacter: '\\' },
      [
        ['a', 'b'],
        ['x "y"', '1'],
      ],
    ],
    [
      'comments',
      '# title\na,b\n#1,2\n3,#4\n',
      { comment: '#' },
      [
        ['a', 'b'],
        ['3', '#4'],
      ],
    ],
    [
      'a comment sign in quotes',
      'a,b\n"#1",2\n',
      { comment: '#' },
      [
        ['a', 'b'],
        ['#1', '2'],
      ],
    ],
    [
      'lines to skip',
      'Report,\n\r\na,b\r\n1,2\r\n',
      { skipLines: 2 },
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['more lines to skip than there are', 'a,b\n', { skipLines: 3 }, []],
    [
      'rows without values',
      'a,b\n1,2\n,\n\n3,\n,\n',
      {},
      [
        ['a', 'b'],
        ['1', '2'],
        ['3', ''],
      ],
    ],
    [
      'a mark at the end',
      'a,b\r\n1,2\r\n\u001a',
      {},
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'lines of old Macintoshes',
      'a,b\r1,2\r',
      {},
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'decimal commas',
      'a;b\n1,5;2,5\n3,5;4,5\n',
      {},
      [
        ['a', 'b'],
        ['1,5', '2,5'],
        ['3,5', '4,5'],
      ],
    ],
    [
      'blanks around quotes',
      'a,b\n"1" ,"2"\t\n',
      {},
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
  ])('are read with %s', (_, text, format, rows) => {
    expect(read(text, format)).toEqual(rows)
  })

  test.each([...['sep=;', 'SEP=;', '"sep=;"', 'sep=";"', 'sep=;;;', '\tsep=;'.trim()]])(
    'are separated as the line %s says',
    (line) => {
      for (const end of ['\n', '\r\n'])
        expect(read(`${line}${end}a,x;b${end}1,5;2${end}`)).toEqual([
          ['a,x', 'b'],
          ['1,5', '2'],
        ])
    },
  )

  test('are separated by any character of such a line', () => {
    expect(read('sep=^\na,x^b\n')).toEqual([['a,x', 'b']])
    expect(read('sep=\t\na,x\tb\n')).toEqual([['a,x', 'b']])
    expect(read('sep=\\t\na,x\tb\n')).toEqual([['a,x', 'b']])
    expect(read('sep=\na,b\n')).toEqual([['a', 'b']])
    expect(read('sep=;\nTitle\na,x;b\n', { skipLines: 2 })).toEqual([['a,x', 'b']])
    expect(read('separate,b\n1,2\n')).toEqual([
      ['separate', 'b'],
      ['1', '2'],
    ])
  })

  test.each(['a\n"x', 'a\n"x"y\n'])('with a misplaced quote are refused: %j', (text) => {
    expect(() => read(text)).toThrow(MisplacedQuote)
  })
})
