/**
 * Writes `src/http/web-app/faces`, the files of the typeface: only the weights in use, and the characters of English in a
 * file of their own, which is the only one that most visits fetch. `tokens.css` and `page-style.ts` state the
 * characters of each file.
 */
import { join } from 'node:path'
import subsetFont from 'subset-font'

const SOURCE = Bun.fileURLToPath(import.meta.resolve('@fontsource-variable/hanken-grotesk/package.json'))
const FOLDER = join(import.meta.dir, '../../src/http/web-app/faces')

/** All features of the typeface except fractions, which nothing turns on. */
const FEATURES = ['kern', 'mark', 'mkmk', 'ccmp', 'liga', 'locl']

const charactersOf = (...ranges: readonly [number, number][]): string =>
  ranges
    .flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)),
    )
    .join('')

/** English with its punctuation. The two marks belong to letters that were typed with a separate accent. */
const ENGLISH = `${charactersOf([0x20, 0x7e])}\u00a0·×–—‘’“”•…−\u0304\u0308`
const latin = charactersOf([0x20, 0x2ff], [0x300, 0x36f], [0x2000, 0x22ff])
const LATIN = [...latin].filter((character) => !ENGLISH.includes(character)).join('')
const EXTENDED = charactersOf(
  [0x100, 0x2ff],
  [0x1d00, 0x1eff],
  [0x2000, 0x2bff],
  [0x2c60, 0x2c7f],
  [0xa720, 0xa7ff],
)

for (const [name, source, characters] of [
  ['english', 'latin', ENGLISH],
  ['latin', 'latin', LATIN],
  ['extended', 'latin-ext', EXTENDED],
] as const) {
  const whole = join(SOURCE, '..', `files/hanken-grotesk-${source}-wght-normal.woff2`)
  const part = await subsetFont(Buffer.from(await Bun.file(whole).bytes()), characters, {
    targetFormat: 'woff2',
    variationAxes: { wght: { min: 400, max: 700 } },
    keepFeatures: FEATURES,
  })
  await Bun.write(join(FOLDER, `${name}.woff2`), part)
  process.stdout.write(`${name}.woff2: ${part.length} bytes\n`)
}
