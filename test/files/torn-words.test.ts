import { expect, test } from 'bun:test'
import { readDocument } from '../../src/files/extraction/read-document.ts'

/** A PDF document of one page with these commands. */
function pdf(commands: string): Uint8Array {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 600]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${commands.length}>>stream\n${commands}\nendstream`,
    `<</Type/Font/Subtype/TrueType/BaseFont/Wide/FirstChar 32/LastChar 126/Widths[${'600 '.repeat(95)}]/FontDescriptor 6 0 R>>`,
    '<</Type/FontDescriptor/FontName/Wide/Flags 33/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80/FontBBox[0 -200 600 800]>>',
  ]
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('')
  return new TextEncoder().encode(`%PDF-1.4\n${body}trailer<</Root 1 0 R>>\n%%EOF`)
}

/** The width of a glyph at 12 points. Recognized text is spaced to cover its picture. */
const GLYPH = 7.2
const SPACING = 1.8
const PITCH = GLYPH + SPACING

/** A line of recognized text, with one command for each part between `|`; words are one glyph apart. */
function recognized(line: string, y: number, scale = 1): string {
  let x = 50
  let commands = `BT /F 12 Tf ${SPACING} Tc ${scale * 100} Tz\n`
  for (const part of line.split('|')) {
    const shown = part.trimEnd()
    commands += `1 0 0 1 ${x.toFixed(2)} ${y} Tm (${shown}) Tj\n`
    x += part.length * PITCH * scale
  }
  return `${commands}ET\n`
}

test('words that a layer of recognized text shows in parts are whole', async () => {
  const commands = [
    recognized('Chin|a |Ocea|n |Shippin|g |Compan|y', 500),
    recognized('Bei|jin|g |10003|1 |of |Lines', 470, 0.72),
  ]
  const { pages } = await readDocument('pdf', pdf(commands.join('')))
  expect(pages).toEqual(['China Ocean Shipping Company\nBeijing 100031 of Lines'])
})

test('words that stand close together stay words', async () => {
  const line = (words: string[], gap: number) => {
    let x = 50
    return words.map((word) => {
      const command = `BT /F 12 Tf 1 0 0 1 ${x.toFixed(2)} 500 Tm (${word}) Tj ET\n`
      x += word.length * GLYPH + gap
      return command
    })
  }
  const { pages } = await readDocument('pdf', pdf(line(['the', 'loom', 'weaves'], 3.5).join('')))
  expect(pages).toEqual(['the loom weaves'])
})
