import { expect, test } from 'bun:test'
import { markdownOf } from '../../src/web/pages/notes/editor/html-to-markdown.ts'

const nested = (depth: number, tag: string) =>
  `${`<${tag}>`.repeat(depth)}<p>words</p>${`</${tag}>`.repeat(depth)}`

test('converts HTML as deep as pages are', () => {
  expect(markdownOf(nested(190, 'div'))).toBe('words')
  expect(
    markdownOf('<b style="font-weight:normal"><h2>Plan</h2><ul><li>a<ul><li>b</li></ul></li></ul></b>'),
  ).toBe('## Plan\n\n- a\n  - b')
})

test.each([
  ['nested too deeply', nested(100_000, 'span')],
  ['nested too deeply', '<b>'.repeat(300_000) + '</i>'.repeat(200_000)],
  ['too long', 'a'.repeat(2_000_001)],
  [
    'a table with too many cells',
    `<table><tr>${'<td>a'.repeat(2_000)}</tr>${'<tr><td>b</td></tr>'.repeat(2_000)}</table>`,
  ],
])('refuses HTML that is or has %s', (what, html) => {
  expect(() => markdownOf(html)).toThrow(what)
})
