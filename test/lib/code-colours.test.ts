import { expect, test } from 'bun:test'
import { codePieces } from '../../src/lib/code-colours.ts'

const seen = (code: string, info: string) =>
  codePieces(code, info)
    .filter(({ look }) => look !== '')
    .map(({ text, look }) => `${look} ${text}`)

test.each([
  ['js', 'const a = "x" // 1', ['code-keyword const', 'code-string "x"', 'code-comment // 1']],
  [
    'py',
    'def f(): return None # why',
    ['code-keyword def', 'code-keyword return', 'code-value None', 'code-comment # why'],
  ],
  ['SQL', 'SELECT 1 -- all', ['code-keyword SELECT', 'code-value 1', 'code-comment -- all']],
  ['html', '<p id="a"><!-- x --></p>', ['code-string "a"', 'code-comment <!-- x -->']],
  ['yaml', 'a: "b" # c', ['code-string "b"', 'code-comment # c']],
  ['unknown', 'const a = 1', []],
])('colours the shapes of %s', (info, code, pieces) => expect(seen(code, info)).toEqual(pieces))

test('keeps every character, also of code that ends within a string or a comment', () => {
  for (const code of ['a "b\nc', "it's\nnext", '/* never', '`open', '\\', '""""', '/*/', 'x'.repeat(60_000)])
    for (const info of ['js', 'sql', 'py', 'html', ''])
      expect(
        codePieces(code, info)
          .map(({ text }) => text)
          .join(''),
      ).toBe(code)
})

test('reads hostile code in linear time', () => {
  const started = performance.now()
  for (const part of ['"\\', '/*', "'", '`\\', '<!--', '# ', '--'])
    for (const info of ['js', 'sql', 'py', 'html']) codePieces(part.repeat(20_000).slice(0, 50_000), info)
  expect(performance.now() - started).toBeLessThan(2_000)
})
