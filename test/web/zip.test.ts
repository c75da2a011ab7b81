import { expect, test } from 'bun:test'
import { strToU8, type Zippable, zipSync } from 'fflate'
import { bytesOf, filesOfZip } from '../../src/web/pages/import/folder.ts'

const zipOf = (files: Zippable, change: (bytes: Uint8Array, view: DataView) => void = () => {}) => {
  const bytes = zipSync(files)
  change(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  return filesOfZip(new File([bytes as Uint8Array<ArrayBuffer>], 'Vault.zip'))
}
/** Returns the offset of the file list. */
const listIn = (view: DataView) => view.getUint32(view.byteLength - 22 + 16, true)
const text = async (file: Parameters<typeof bytesOf>[0]) => new TextDecoder().decode(await bytesOf(file))

test('a zip file of one folder gives what is below it, packed or not, without what systems add', async () => {
  const { name, notes, otherFiles, skipped } = await zipOf({
    'Vault/': new Uint8Array(),
    'Vault/Home.md': strToU8('home '.repeat(100)),
    'Vault/deep/Other.md': [strToU8('other'), { level: 0 }],
    'Vault/Empty.md': new Uint8Array(),
    'Vault/a.txt': strToU8('a'),
    'Vault/.obsidian/app.json': strToU8('{}'),
    '__MACOSX/Vault/._Home.md': strToU8('x'),
  })
  expect(name).toBe('Vault.zip')
  expect(notes.map(({ path, bytes }) => [path, bytes])).toEqual([
    ['Empty.md', 0],
    ['Home.md', 500],
    ['deep/Other.md', 5],
  ])
  expect(await Promise.all(notes.map(text))).toEqual(['', 'home '.repeat(100), 'other'])
  expect(otherFiles.map(({ path }) => path)).toEqual(['a.txt'])
  expect(skipped).toEqual([{ place: '.obsidian', what: 'its name begins with a dot.' }])
})

test('a folder is no file, also where a backslash ends its name', async () => {
  const { notes, otherFiles } = await zipOf({
    'Vault\\': new Uint8Array(),
    'Vault\\empty\\': new Uint8Array(),
    'Vault\\Home.md': strToU8('home'),
  })
  expect([...notes, ...otherFiles].map(({ path }) => path)).toEqual(['Home.md'])
})

test('decodes names as UTF-8 even without the flag, as in archives of macOS', async () => {
  const { notes } = await zipOf({ 'Caf\u0065\u0301 Mühle.md': strToU8('x') }, (_, view) =>
    view.setUint16(listIn(view) + 8, 0, true),
  )
  expect(notes.map(({ path }) => path)).toEqual(['Caf\u0065\u0301 Mühle.md'])
})

test('a file has the time that the zip file has in seconds since 1970', async () => {
  const extra = { 21589: new Uint8Array([1, 0x00, 0xe1, 0xf5, 0x05]) }
  const { notes } = await zipOf({ 'Home.md': [strToU8('x'), { extra }] })
  expect(notes[0]?.modifiedAt).toBe(0x05f5e100 * 1_000)
})

test('sizes of 64 bits are read', async () => {
  const sizes = new Uint8Array(16)
  new DataView(sizes.buffer).setBigUint64(0, 5n, true)
  new DataView(sizes.buffer).setBigUint64(8, 5n, true)
  const { notes } = await zipOf(
    { 'Home.md': [strToU8('inner'), { level: 0, extra: { 1: sizes } }] },
    (_, view) => {
      view.setUint32(listIn(view) + 20, 0xffffffff, true)
      view.setUint32(listIn(view) + 24, 0xffffffff, true)
    },
  )
  expect(notes.map(({ bytes }) => bytes)).toEqual([5])
  expect(await Promise.all(notes.map(text))).toEqual(['inner'])
})

test('skips paths that lead outside the folder', async () => {
  const { notes, skipped } = await zipOf({ '../Out.md': strToU8('x'), 'In.md': strToU8('x') })
  expect(notes.map(({ path }) => path)).toEqual(['In.md'])
  expect(skipped).toEqual([{ place: '../Out.md', what: 'its path leads outside the folder.' }])
})

test.each([
  [
    'has a password',
    (view: DataView) => view.setUint16(listIn(view) + 8, 1, true),
    'it has a password; create the ZIP file without one.',
  ],
  [
    'is damaged',
    (view: DataView) => view.setUint32(listIn(view) + 24, 7, true),
    'it is damaged; create the ZIP file again.',
  ],
  [
    'is packed in another way',
    (view: DataView) => view.setUint16(listIn(view) + 10, 14, true),
    'its compression method is not supported; create the ZIP file with another program.',
  ],
] as const)('a file that %s is refused with a sentence', async (_, change, sentence) => {
  const { notes } = await zipOf({ 'Home.md': strToU8('home') }, (_, view) => change(view))
  const [home] = notes
  expect(home && bytesOf(home)).rejects.toThrow(sentence)
})

test('refuses a file that unpacks to more than its declared size, before unpacking all of it', async () => {
  const { notes } = await zipOf({ 'Home.md': new Uint8Array(100_000_000) }, (_, view) =>
    view.setUint32(listIn(view) + 24, 10, true),
  )
  const [home] = notes
  const before = process.memoryUsage().rss
  await expect(home && bytesOf(home)).rejects.toThrow('it is damaged; create the ZIP file again.')
  expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000)
})

test.each([
  ['nothing', ''],
  ['no zip file', 'not a zip file '.repeat(10)],
])('%s is refused as a whole', (_, content) =>
  expect(filesOfZip(new File([content], 'Vault.zip'))).rejects.toThrow(
    'This is not a ZIP file, or it is damaged. Create it again.',
  ),
)
