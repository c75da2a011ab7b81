import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isFileTarget, linkKeys, parseLinks, withFileLabel } from '../../src/notes/links/syntax.ts'
import { runs } from '../support/counts.ts'

const ID = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'

const fileKeys = (body: string) => [...linkKeys(body)].filter(isFileTarget)

/** Bodies in which links, code and brackets meet in every order. */
const bodies = fc
  .array(
    fc.constantFrom(
      ...[
        `[[file:${ID}|`,
        `file:${ID}`,
        '[[',
        ']]',
        '|',
        '`',
        '``',
        '```',
        '\n',
        '\r\n',
        '\n\n',
        '\\',
        '# ',
        '- ',
      ],
      ...['[', ']', 'a', ' ', '织', '\u{1f9f5}', 'old.pdf]]', `[[file:${ID}|old.pdf]]`, '[[Note|old.pdf]]'],
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(''))

test('a new label changes no link but those to the file, and nothing twice', () => {
  fc.assert(
    fc.property(bodies, (body) => {
      // A backtick that goes with its label may have kept the text before it from being code.
      fc.pre(!/\[\[file:[^\]\r\n]*`/.test(body))
      const relabelled = withFileLabel(body, ID, 'new [1]`')
      expect(parseLinks(relabelled)).toEqual(parseLinks(body))
      expect(fileKeys(relabelled)).toEqual(fileKeys(body))
      expect(withFileLabel(relabelled, ID, 'new [1]`')).toBe(relabelled)
      expect(withFileLabel(body, ID.replace('0', '1'), 'new')).toBe(body)
      const labels = (text: string) => text.split(`[[file:${ID}|`).length
      if (fileKeys(body).length === 0) expect(relabelled).toBe(body)
      expect(labels(relabelled)).toBe(labels(body))
    }),
    { numRuns: runs(500, 20_000) },
  )
})
