import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { peakMebibytes } from '../limits/connections.ts'
import { deleteFile, makeFile } from '../support/files.ts'
import { runJobs } from '../support/jobs.ts'
import { makeNote } from '../support/notes.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

/** Bytes that differ by position. */
const numbered = (size: number) => Uint8Array.from({ length: size }, (_, at) => (at * 7 + (at >> 8)) % 251)

/** Spans three parts in the database, the last of which is short. */
const LARGE = numbered(1_200_000)

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

async function download(id: string, headers: Record<string, string> = {}, method = 'GET') {
  const request = new Request(`http://localhost/v1/files/${id}/content`, {
    method,
    headers: { authorization: `Bearer ${service.key}`, ...headers },
  })
  const response = await service.app.fetch(request)
  return { status: response.status, headers: response.headers, bytes: await response.bytes() }
}

/** Summarizes a slice by length and hash, so that a failure does not print a million bytes. */
const summary = (bytes: Uint8Array) => [bytes.length, Bun.hash(bytes)]

describe('the content of a file', () => {
  test('is its bytes, as an attachment that no browser runs', async () => {
    const bytes = new TextEncoder().encode('<script>alert(1)</script>')
    const id = await makeFile(service, { name: 'page.html', bytes })
    const { status, headers, bytes: received } = await download(id)
    expect([status, received]).toEqual([200, bytes])
    const { 'x-request-id': _, ...others } = Object.fromEntries(headers)
    expect(others).toEqual({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': `attachment; filename="page.html"; filename*=UTF-8''page.html`,
      'content-security-policy': 'sandbox',
      'content-type': 'text/html',
      etag: `"${id}"`,
      'x-content-type-options': 'nosniff',
    })
  })

  test.each([0, 1, 524_287, 524_288, 524_289, 1_048_576, LARGE.length])(
    'of %d bytes is whole',
    async (size) => {
      const id = await makeFile(service, { name: 'a.bin', bytes: LARGE.subarray(0, size) })
      const { status, bytes } = await download(id)
      expect([status, ...summary(bytes)]).toEqual([200, ...summary(LARGE.subarray(0, size))])
      const head = await download(id, { range: 'bytes=0-0' }, 'HEAD')
      expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([
        200,
        `${size}`,
        0,
      ])
    },
  )

  test.each([
    ['Ubersicht.pdf', 'Ubersicht.pdf', 'Ubersicht.pdf'],
    ['Übersicht 5 %.pdf', '_bersicht 5 _.pdf', '%C3%9Cbersicht%205%20%25.pdf'],
    [`a"b\\c/d'(e)*.txt`, `a_b_c_d'(e)*.txt`, 'a%22b%5Cc%2Fd%27%28e%29%2A.txt'],
    ['分析机 \u{1f9f5}.txt', '___ _.txt', '%E5%88%86%E6%9E%90%E6%9C%BA%20%F0%9F%A7%B5.txt'],
  ])('is named %p in its header, whatever the name', async (name, plain, exact) => {
    const id = await makeFile(service, { name, bytes: new Uint8Array(1) })
    const { headers } = await download(id)
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="${plain}"; filename*=UTF-8''${exact}`,
    )
    expect(decodeURIComponent(exact)).toBe(name)
  })

  test('is available before its text, without a text, and while its note is in the trash', async () => {
    const note = await makeNote(service)
    const bytes = new Uint8Array([1, 2, 3])
    const ids = [
      await makeFile(service, { name: 'waiting.pdf', bytes }),
      await makeFile(service, { name: 'broken.pdf', bytes, failed: 'broken' }),
      await makeFile(service, { name: 'attached.png', bytes, noteId: note.id }),
    ]
    await service.delete(`/v1/notes/${note.id}`)
    for (const id of ids) expect((await download(id)).bytes).toEqual(bytes)
  })

  test('is readable with a read-only key, and not found from another workspace or after the deletion', async () => {
    const id = await makeFile(service, { bytes: new Uint8Array([1]) })
    const read = service.as(await service.newKey({ scope: 'read' }))
    expect((await read.get(`/v1/files/${id}/content`)).status).toBe(200)
    const other = service.as(await service.newWorkspace('Other'))
    expect(await other.get(`/v1/files/${id}/content`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    await deleteFile(service, id)
    expect((await download(id)).status).toBe(404)
  })

  test('is aborted when the file is deleted meanwhile, and never ends as if complete', async () => {
    const id = await makeFile(service, { bytes: LARGE })
    const request = new Request(`http://localhost/v1/files/${id}/content`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    const reader = (await service.app.fetch(request)).body?.getReader()
    expect((await reader?.read())?.value?.length).toBe(524_288)
    await deleteFile(service, id)
    await runJobs(service.ctx)
    await expect(
      (async () => {
        while (!(await reader?.read())?.done);
      })(),
    ).rejects.toThrow('before all of it was sent')
  })
})

describe('a range', () => {
  let id: string
  beforeEach(async () => {
    id = await makeFile(service, { bytes: LARGE })
  })
  const size = LARGE.length

  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=0-1199999', 0, size],
    ['bytes=0-9999999', 0, size],
    ['bytes=524287-524288', 524_287, 524_289],
    ['bytes=524288-1048575', 524_288, 1_048_576],
    ['bytes=100-1100000', 100, 1_100_001],
    ['bytes=1199999-', size - 1, size],
    ['bytes=600000-', 600_000, size],
    ['bytes=-5', size - 5, size],
    ['bytes=-9999999', 0, size],
    ['Bytes= 5-9 ', 5, 10],
  ])('%p is sent alone', async (range, start, end) => {
    const { status, headers, bytes } = await download(id, { range })
    expect([status, headers.get('content-range'), ...summary(bytes)]).toEqual([
      206,
      `bytes ${start}-${end - 1}/${size}`,
      ...summary(LARGE.subarray(start, end)),
    ])
    expect(headers.get('etag')).toBe(`"${id}"`)
  })

  test.each(['bytes=1200000-', 'bytes=1200000-1200001', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
    '%p is after the end: 416, with the size',
    async (range) => {
      const { status, headers, bytes } = await download(id, { range })
      expect([status, headers.get('content-range')]).toEqual([416, `bytes */${size}`])
      expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual({
        error: 'The header "Range" begins beyond the end: the size is 1200000 bytes.',
        code: 'refused',
      })
    },
  )

  test.each([
    'bytes=',
    'bytes=-',
    'bytes=9-5',
    'bytes=a-b',
    'bytes=0-1,5-6',
    'lines=0-1',
    '0-1',
    'bytes=0-1-2',
  ])('%p, which is malformed or several, is ignored', async (range) => {
    const { status, bytes } = await download(id, { range })
    expect([status, bytes.length]).toEqual([200, size])
  })

  test('is sent with If-Range only when it names these bytes', async () => {
    const statusWith = async (version: string) =>
      (await download(id, { range: 'bytes=0-1', 'if-range': version })).status
    expect(await statusWith(`"${id}"`)).toBe(206)
    for (const other of ['"other"', `W/"${id}"`, id, 'Sat, 21 Nov 2026 09:30:00 GMT', ''])
      expect([other, await statusWith(other)]).toEqual([other, 200])
  })

  test('of an empty file is after the end', async () => {
    const empty = await makeFile(service, { bytes: new Uint8Array(0) })
    expect((await download(empty, { range: 'bytes=0-' })).status).toBe(416)
  })
})

test('If-None-Match with the ETag gets 304 without a body, also after a rename', async () => {
  const id = await makeFile(service, { bytes: LARGE })
  await service.patch(`/v1/files/${id}`, { file_name: 'other.bin' })
  for (const tag of [`"${id}"`, `W/"${id}"`, `"x", "${id}"`, '*']) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, bytes } = await download(
        id,
        { 'if-none-match': tag, range: 'bytes=0-1' },
        method,
      )
      expect([tag, status, bytes.length, headers.get('etag')]).toEqual([tag, 304, 0, `"${id}"`])
    }
  }
  for (const tag of ['"other"', id, '']) {
    expect([tag, (await download(id, { 'if-none-match': tag })).status]).toEqual([tag, 200])
  }
})

describe('a server', () => {
  const SIZE = 50 * 2 ** 20
  const READERS = 40
  const folder = newFolder()
  let server: ServerProcess
  let id: string
  const sockets: Socket[] = []

  beforeAll(async () => {
    await Bun.write(folder.file('large.bin'), new Uint8Array(SIZE))
    const db = folder.file('daybook.db')
    server = await startProcess(db)
    const { out } = await daybook(['files', 'add', folder.file('large.bin'), '--db', db])
    id = out.trim()
  }, 60_000)
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await server.end()
    folder.remove()
  })

  /** Requests the whole file and reads only the first bytes. */
  const startReading = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      sockets.push(socket)
      socket.on('error', reject)
      socket.once('data', () => {
        socket.pause()
        resolve()
      })
      socket.write(
        `GET /v1/files/${id}/content HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.key}\r\n\r\n`,
      )
    })

  test('buffers little for stalled readers, and serves the others meanwhile', async () => {
    const before = peakMebibytes(server.pid)
    await Promise.all(Array.from({ length: READERS }, startReading))
    const whole = await fetch(`${server.url}/v1/files/${id}/content`, {
      headers: { authorization: `Bearer ${server.key}` },
    })
    expect((await whole.bytes()).length).toBe(SIZE)
    expect((await server.get('/v1/me')).status).toBe(200)
    // If the server held each reader's file in memory, this would take 50 MiB.
    expect(peakMebibytes(server.pid) - before).toBeLessThan(READERS * 6)
  }, 60_000)
})
