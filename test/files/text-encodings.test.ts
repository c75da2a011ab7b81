import { expect, test } from 'bun:test'
import { readDocument } from '../../src/files/extraction/read-document.ts'
import { encodeAs } from '../support/encode.ts'

test.each([
  ['windows-1251', 'Привет, мир'],
  ['shift_jis', '東京の天気'],
  ['windows-1252', 'Größe und Straße'],
  ['utf-16le', 'plain text'],
])('a text file in %s is read', async (encoding, text) => {
  expect((await readDocument('txt', encodeAs(encoding, text))).pages).toEqual([text])
})

test('a page has the encoding that its XML declaration names', async () => {
  const page = '<?xml version="1.0" encoding="EUC-JP"?><html><body><p>東京</p></body></html>'
  expect((await readDocument('html', encodeAs('euc-jp', page))).pages).toEqual(['東京'])
})
