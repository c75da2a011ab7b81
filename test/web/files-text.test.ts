import { expect, test } from 'bun:test'
import { isText, textOf } from '../../src/web/pages/files/plain-text.ts'

test.each([
  ['UTF-8', [0xc3, 0xa9], 'é'],
  ['UTF-8 with a mark', [0xef, 0xbb, 0xbf, 0xc3, 0xa9], 'é'],
  ['UTF-16, little end first', [0xff, 0xfe, 0xe9, 0x00], 'é'],
  ['UTF-16, big end first', [0xfe, 0xff, 0x00, 0xe9], 'é'],
  ['Windows-1252', [0x80, 0xe9], '€é'],
  ['nothing', [], ''],
])('a text in %s is read', (_, bytes, text) => expect(textOf(new Uint8Array(bytes))).toBe(text))

test.each([
  ['text/csv', null, 'processing', true],
  ['application/ld+json', 1, 'ready', true],
  ['application/octet-stream', 1, 'ready', true],
  ['application/octet-stream', 0, 'ready', false],
  ['application/pdf', 3, 'ready', false],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 2, 'ready', false],
  ['text/csv', null, 'failed', false],
])('%s with %p pages, %s, is shown as text: %p', (mime_type, pages, status, isIt) =>
  expect(isText({ mime_type, pages, status })).toBe(isIt),
)
