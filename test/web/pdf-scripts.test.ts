import { expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import { mayRunScripts } from '../../src/web/pages/files/pdf-scripts.ts'

const bytesOf = (...parts: (string | Uint8Array)[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part))))
const objects = (text: string, filter = 'FlateDecode', content: string | Uint8Array = deflateSync(text)) =>
  bytesOf(
    `%PDF-1.7\n7 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /${filter} >>\nstream\n`,
    content,
    '\nendstream\nendobj\n',
  )
const ACTION = '<< /S /JavaScript /JS (app.alert\\("1"\\)) >>'

test.each([
  [
    'a script in the open',
    bytesOf(`%PDF-1.7\n1 0 obj\n<< /Type /Catalog /OpenAction ${ACTION} >>\nendobj\n`),
  ],
  ['a script whose name is escaped', bytesOf(`%PDF-1.7\n<< /S /J#61va#53cript /JS (x) >>`)],
  ['a script among compressed objects', objects(ACTION)],
  ['objects that cannot be read', objects('', 'LZWDecode', 'abc')],
  ['encryption', bytesOf('%PDF-1.7\ntrailer << /Encrypt 9 0 R >>')],
])('a document with %s is one that may run scripts', async (_, bytes) => {
  expect(await mayRunScripts(bytes)).toBe(true)
})

test('a document without any is not, whatever else is in it', async () => {
  const handbook = new Uint8Array(await Bun.file('test/files/samples/handbook.pdf').arrayBuffer())
  expect(await mayRunScripts(handbook)).toBe(false)
  expect(await mayRunScripts(objects('<< /Type /Catalog /OpenAction [3 0 R /Fit] >>'))).toBe(false)
})
