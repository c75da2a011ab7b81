import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { diffLines, linesOf } from '../../src/web/data/line-diff.ts'
import { mergedText, mergeTexts, type Part } from '../../src/web/data/merge.ts'

/** Short texts from few distinct lines, so that many lines are equal; some end without a line break. */
const text = fc
  .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\r\n'), { maxLength: 12 })
  .chain((lines) => fc.constantFrom('', 'end').map((end) => lines.join('') + end))

function applyHunks(before: string, after: string): string {
  const [old, young] = [linesOf(before), linesOf(after)]
  let at = 0
  let result = ''
  for (const hunk of diffLines(old, young)) {
    result += old.slice(at, hunk.from).join('') + young.slice(hunk.newFrom, hunk.newTo).join('')
    at = hunk.to
  }
  return result + old.slice(at).join('')
}

const side = (parts: readonly Part[], name: 'mine' | 'theirs') =>
  parts.map((part) => (part.kind === 'agreed' ? part.text : part[name])).join('')

describe('differences by lines', () => {
  test('lead from the old text to the new one, byte for byte', () => {
    fc.assert(fc.property(text, text, (before, after) => applyHunks(before, after) === after))
  })

  test('of texts with little in common produce the merged text', () => {
    const numbers = (from: number) => Array.from({ length: 3_000 }, (_, line) => `${from + line}\n`).join('')
    const before = `first\n${numbers(0)}last`
    const after = `first\n${numbers(1e6)}last`
    expect(applyHunks(before, after)).toBe(after)
  })

  test('are as few as possible', () => {
    expect(diffLines(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])).toEqual([
      { from: 1, to: 2, newFrom: 1, newTo: 2 },
      { from: 4, to: 4, newFrom: 4, newTo: 5 },
    ])
  })
})

describe('a merge', () => {
  test('takes over what only one side changed', () => {
    fc.assert(
      fc.property(text, text, (base, changed) => {
        expect(mergedText(mergeTexts(base, changed, base))).toBe(changed)
        expect(mergedText(mergeTexts(base, base, changed))).toBe(changed)
        expect(mergedText(mergeTexts(base, changed, changed))).toBe(changed)
      }),
    )
  })

  test('loses no line that either side wrote', () => {
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        const parts = mergeTexts(base, mine, theirs)
        const found = new Set(linesOf(side(parts, 'mine')).concat(linesOf(side(parts, 'theirs'))))
        const before = new Set(linesOf(base))
        for (const line of [...linesOf(mine), ...linesOf(theirs)])
          if (!before.has(line)) expect(found).toContain(line)
      }),
    )
  })

  test('gives both sides the same result, with the passages the other way round', () => {
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        const parts = mergeTexts(base, mine, theirs)
        const turned = mergeTexts(base, theirs, mine)
        expect(side(turned, 'theirs')).toBe(side(parts, 'mine'))
        expect(side(turned, 'mine')).toBe(side(parts, 'theirs'))
      }),
    )
  })

  test('merges changes in different places without a choice', () => {
    const merged = mergeTexts(
      'one\ntwo\nthree\nfour\n',
      'ONE\ntwo\nthree\nfour\n',
      'one\ntwo\nthree\nFOUR\nfive',
    )
    expect(merged).toEqual([{ kind: 'agreed', text: 'ONE\ntwo\nthree\nFOUR\nfive' }])
  })

  test('shows both versions of a line that both sides changed, and nothing else', () => {
    expect(mergeTexts('a\nb\nc\n', 'a\nmine\nc\n', 'a\ntheirs\nc\nd\n')).toEqual([
      { kind: 'agreed', text: 'a\n' },
      { kind: 'passage', base: 'b\n', mine: 'mine\n', theirs: 'theirs\n' },
      { kind: 'agreed', text: 'c\nd\n' },
    ])
  })
})
