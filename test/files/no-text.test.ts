import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeFile, readFile } from '../support/files.ts'
import { startService, type TestService } from '../support/service.ts'

describe('a service', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  test.each([
    ['photo.png', '\u0089PNG\0'],
    ['logo.svg', '<svg><style>.a { fill: red }</style></svg>'],
    ['empty.jpg', ''],
    ['backup.zip', 'PK\u0003\u0004 other'],
    ['noise', '\u0001\u0002\u0003 packed'],
  ])('keeps %s, which has no text, as ready with no pages', async (name, content) => {
    const id = await makeFile(service, { name, bytes: Buffer.from(content, 'latin1') })
    await readFile(service, id)
    const { file } = (await service.get(`/v1/files/${id}`)).body
    expect(file).toMatchObject({ status: 'ready', pages: 0, error: null, outline: [] })
    expect((await service.get(`/v1/files/${id}/text`)).body).toEqual({
      file: { id, file_name: name },
      pages: '',
      text: '',
      truncated: false,
      next_chunk: null,
    })
    const { status, body } = await service.get(`/v1/files/${id}/text?pages=1`)
    expect([status, body.code]).toEqual([400, 'refused'])
  })

  test.each([
    ['notes.txt', 'a\0b', 'The file is not text, although its name says so.'],
    [
      'letter.doc',
      '\u00d0\u00cf\0',
      'No text can be read from a document of the kind .doc; save it as docx, xlsx, pptx or pdf.',
    ],
    ['torn.pdf', '%PDF-1.7', 'The file is not a whole PDF document.'],
  ])('keeps %s, a document that cannot be read, as failed', async (name, content, error) => {
    const id = await makeFile(service, { name, bytes: Buffer.from(content, 'latin1') })
    await readFile(service, id)
    const { file } = (await service.get(`/v1/files/${id}`)).body
    expect(file).toMatchObject({ status: 'failed', pages: null, error })
  })
})
