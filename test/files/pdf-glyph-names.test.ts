import { expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import { glyphEncodings } from '../../src/files/extraction/formats/pdf-glyph-names.ts'
import { readDocument } from '../../src/files/extraction/read-document.ts'

/** A PDF document of one page with these codes in a font whose encoding names some of them. */
function pdf(codes: readonly number[], differences: string, isCompressed: boolean): Uint8Array {
  const hex = Buffer.from(codes).toString('hex')
  const text = `BT /F 12 Tf 50 500 Td <${hex}> Tj ET`
  const inner = [
    [
      5,
      `<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+Own/Encoding 7 0 R/FontDescriptor 6 0 R/FirstChar 0/LastChar 255/Widths[${'600 '.repeat(256)}]>>`,
    ],
    [7, `<</Type/Encoding/Differences[${differences}]>>`],
  ] as const
  const outer: [number, string][] = [
    [1, '<</Type/Catalog/Pages 2 0 R>>'],
    [2, '<</Type/Pages/Kids[3 0 R]/Count 1>>'],
    [3, '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 600]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>'],
    [4, `<</Length ${text.length}>>stream\n${text}\nendstream`],
    [
      6,
      '<</Type/FontDescriptor/FontName/ABCDEF+Own/Flags 4/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80/FontBBox[0 -200 600 800]>>',
    ],
  ]
  if (isCompressed) {
    let [head, body] = ['', '']
    for (const [number, object] of inner) {
      head += `${number} ${body.length} `
      body += `${object} `
    }
    const stream = deflateSync(head + body).toString('latin1')
    const about = `<</Type/ObjStm/N ${inner.length}/First ${head.length}/Filter/FlateDecode/Length ${stream.length}>>`
    outer.push([8, `${about}stream\n${stream}\nendstream`])
  } else outer.push(...inner.map(([number, object]): [number, string] => [number, object]))
  const whole = outer.map(([number, object]) => `${number} 0 obj\n${object}\nendobj\n`).join('')
  return Buffer.from(`%PDF-1.5\n${whole}trailer<</Root 1 0 R>>\n%%EOF`, 'latin1')
}

const [N, D] = [0x6e, 0x64]

test.each([
  ['a ligature', [0xdd, N, D], '221/f_i', false, 'find'],
  ['a ligature of three letters at a low code', [0x6f, 0x1b, N], '27 /f_f_i', false, 'offin'],
  ['a ligature named in a compressed object', [0xdd, N, D], '221 /f#5fi', true, 'find'],
  ['a variant of a ligature', [0xde, 0x65], '221 /g1 /T_h.alt', false, 'The'],
  ['a name without a meaning', [0xdd, N], '221 /g42', false, 'Ýn'],
  ['a name with a part without a meaning', [0xdd, N], '221 /f_constructor', false, 'Ýn'],
])('%s of a font is found by its name', async (_, codes, differences, isCompressed, text) => {
  expect((await readDocument('pdf', pdf(codes, differences, isCompressed))).pages).toEqual([text])
})

test('the encodings of a damaged document are read in linear time', () => {
  const text = Buffer.from(pdf([0xdd, N], '221 /f_i', false)).toString('latin1')
  const overlapping = Array.from(
    { length: 100_000 },
    (_, at) => `${at} ${at % 2 === 0 ? 0 : 4_000_000}`,
  ).join(' ')
  const stream = deflateSync(overlapping + '/Differences['.repeat(300_000)).toString('latin1')
  const object = `9 0 obj\n<</Type/ObjStm/N 100000/First ${overlapping.length}/Filter/FlateDecode/Length ${stream.length}>>stream\n${stream}\nendstream\nendobj\n`
  const endless = `8 0 obj\n${'/Differences['.repeat(300_000)}\nendobj\n`
  const encodings = glyphEncodings(Buffer.from(object + endless + text, 'latin1'))
  expect(encodings.get('Own')?.get(0xdd)).toBe('fi')
}, 10_000)
