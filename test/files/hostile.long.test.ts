import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import type { Kind } from '../../src/files/extraction/kinds.ts'
import { DEFAULT_LIMITS, type Limits, startExtraction } from '../../src/files/extraction/process.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { makeFile, readFile } from '../support/files.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

const sample = (name: string) => Bun.file(join(import.meta.dir, 'samples', name)).bytes()

/** The result of extracting a file in a separate process. */
const extract = (kind: Kind, bytes: Uint8Array, limits: Limits = DEFAULT_LIMITS) =>
  startExtraction(kind, [bytes], limits).result

const failed = (sentence: string) => ({ failed: sentence })

const document = (xml: string | Uint8Array) =>
  zipSync({ 'word/document.xml': typeof xml === 'string' ? strToU8(xml) : xml })

/** Declares in the package that every part has this size. */
function lying(zip: Uint8Array, size: number): Uint8Array {
  const view = new DataView(zip.buffer, zip.byteOffset)
  for (let at = 0; at < zip.length - 28; at++) {
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, size, true)
  }
  return zip
}

/** Returns a PDF of one page that shows `stream`, which may draw itself as /X; `pages` replaces the page tree. */
function pdf(stream: string | Uint8Array, pages = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>'): Uint8Array {
  const packed = deflateSync(stream)
  const resources = '/Resources << /XObject << /X 4 0 R >> /Font << /F1 5 0 R >> >>'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    pages,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R ${resources} >>`,
  ].map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`)
  return Buffer.concat([
    Buffer.from(`%PDF-1.4\n${objects.join('')}4 0 obj\n<< /Length ${packed.length} /Filter /FlateDecode
/Type /XObject /Subtype /Form /BBox [0 0 100 100] ${resources} >>\nstream\n`),
    packed,
    Buffer.from(`\nendstream\nendobj\n5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj
trailer << /Root 1 0 R /Size 6 >>\n%%EOF`),
  ])
}

const BROKEN = 'The file is not a whole document of its kind, or it is protected by a password.'

describe('a process that reads a file', () => {
  test('returns its text', async () => {
    expect(await extract('txt', strToU8('Looms weave.'))).toEqual({ pages: ['Looms weave.'], outline: [] })
  })

  test.each([
    ['a bomb', 'docx', () => document(new Uint8Array(136_000_000)), 'The file unpacks to more than 128 MiB.'],
    ['a bomb that hides its size', 'docx', () => lying(document(new Uint8Array(5_000_000)), 100), BROKEN],
    [
      'a part that says it is huge',
      'docx',
      () => lying(document('<a/>'), 4e9),
      'The file unpacks to more than 128 MiB.',
    ],
    [
      'a billion laughs',
      'docx',
      () => document('<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><document>&b;</document>'),
      BROKEN,
    ],
    ['nesting without end', 'docx', () => document('<p>'.repeat(50_000)), BROKEN],
    ['garbage', 'xlsx', () => new Uint8Array(5_000).fill(7), BROKEN],
    ['garbage', 'pdf', () => new Uint8Array(5_000).fill(7), 'The file is not a whole PDF document.'],
  ] as const)('ends with the reason for %s as %s', async (_, kind, make, sentence) => {
    expect(await extract(kind, make())).toEqual(failed(sentence))
  })

  test('ends for a PDF whose pages lead round in a circle, or are said to be many', async () => {
    const circle = await extract('pdf', pdf('', '<< /Type /Pages /Kids [2 0 R 2 0 R 3 0 R] /Count 3 >>'))
    const many = await extract('pdf', pdf('', '<< /Type /Pages /Kids [3 0 R] /Count 2000000000 >>'))
    for (const result of [circle, many]) expect(result).toMatchObject({ outline: [] })
  })

  test('is killed when it takes too much memory', async () => {
    const result = await extract('pdf', pdf('/X Do /X Do'), { seconds: 60, mebibytes: 150 })
    expect(result).toEqual({
      ...failed('Reading the text took more than 150 MiB of memory.'),
      isOverLimit: true,
    })
  })

  test('is killed when it takes too long', async () => {
    const endless = zipSync(
      { 'word/document.xml': strToU8(`<a>${'<p>a</p>'.repeat(3_000_000)}</a>`) },
      { level: 1 },
    )
    const result = await extract('docx', endless, { seconds: 0.3, mebibytes: 4_000 })
    expect(result).toEqual({ ...failed('Reading the text took longer than 0.3 seconds.'), isOverLimit: true })
  })

  test('can be stopped, and then returns nothing', async () => {
    const extraction = startExtraction('pdf', [await sample('handbook.pdf')])
    extraction.stop()
    expect(await extraction.result).toBeUndefined()
  })

  test('can be killed before it takes anything of the file', async () => {
    const extraction = startExtraction('txt', Array(40).fill(new Uint8Array(2 ** 16)))
    extraction.stop()
    // The process is gone before the first part is sent.
    Bun.sleepSync(100)
    expect(await extraction.result).toBeUndefined()
  })
})

describe('a service', () => {
  const folder = newFolder()
  let service: TestService
  beforeAll(async () => {
    service = await startService({ file: folder.file('daybook.db') })
  })
  afterAll(() => {
    service.close()
    folder.remove()
  })

  const SAMPLES = ['handbook.pdf', 'handbook.docx', 'accounts.xlsx', 'talk.pptx']

  /** Some bytes of a sample replaced, removed or doubled. */
  const mutation = fc.record({
    name: fc.constantFrom(...SAMPLES),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat({ max: 64 }),
    bytes: fc.uint8Array({ maxLength: 64 }),
  })

  test(
    'answers while files of damaged and random bytes are read, each of which ends ready or failed',
    async () => {
      await fc.assert(
        fc.asyncProperty(mutation, async ({ name, at, length, bytes }) => {
          const whole = await sample(name)
          const from = Math.floor(at * whole.length)
          const damaged = Buffer.concat([whole.subarray(0, from), bytes, whole.subarray(from + length)])
          const id = await makeFile(service, { name, bytes: damaged })
          const reading = readFile(service, id)
          expect((await service.get('/healthz')).status).toBe(200)
          await reading
          const { status, pages, error } = (await service.get(`/v1/files/${id}`)).body.file
          if (status === 'ready') expect([pages > 0, error]).toEqual([true, null])
          else expect([status, pages, error]).toEqual(['failed', null, expect.stringMatching(/^.{20,}\.$/)])
        }),
        { numRuns: runs(10, 300) },
      )
    },
    RANDOM_CASES_MS,
  )
})
