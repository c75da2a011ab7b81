import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync, spawn } from 'bun'
import { makeFile } from '../../support/files.ts'
import { newFolder, program } from '../../support/process.ts'
import { startService, type TestService } from '../../support/service.ts'

/* A remote may send an endless response, or a small one that decompresses to a huge one. */

let folder: ReturnType<typeof newFolder>
let service: TestService
beforeEach(async () => {
  folder = newFolder()
  service = await startService()
})
afterEach(() => {
  service.close()
  folder.remove()
})

const MEBIBYTE = 1_048_576
/** Copying little data takes less than half of this. */
const MAX_MEMORY_BYTES = 420 * MEBIBYTE

const blanks = new Uint8Array(MEBIBYTE).fill(0x20)
const packed = gzipSync(new Uint8Array(64 * MEBIBYTE).fill(0x20))

const endless = (bytes: Uint8Array, headers: Record<string, string> = {}) =>
  new Response(new ReadableStream({ pull: (controller) => controller.enqueue(bytes) }), { headers })

/**
 * The peak memory of a process in bytes; 0 once it has ended. On Linux, the usage that the system reports at its end
 * includes the memory of the process that started it.
 */
function memoryOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}

/** Copies once from a remote that sends an endless response at one path. */
async function copyFrom(path: string, respond: () => Response) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => (new URL(request.url).pathname === path ? respond() : service.app.fetch(request)),
  })
  const child = spawn(
    [...program(), 'mirror', `http://127.0.0.1:${server.port}`, '--once', '--db', folder.file('mirror.db')],
    { env: { DAYBOOK_KEY: service.key ?? '' }, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  )
  let mostMemory = 0
  const watch = setInterval(() => {
    mostMemory = Math.max(mostMemory, memoryOf(child.pid))
  }, 5)
  const err = await child.stderr.text()
  const exitCode = await child.exited
  clearInterval(watch)
  await server.stop(true)
  expect([mostMemory > 0, mostMemory < MAX_MEMORY_BYTES]).toEqual([true, true])
  expect(existsSync(folder.file('mirror.db'))).toBe(false)
  expect(existsSync(folder.file('mirror.db.stage'))).toBe(false)
  return { exitCode, err }
}

const PATHS = [
  '/openapi.json',
  '/v1/workspace',
  '/v1/records/structures',
  '/v1/changes/snapshot',
  '/v1/changes',
]

test.each(PATHS)(
  'a response that never ends is cancelled with a sentence: %s',
  async (path) => {
    const { exitCode, err } = await copyFrom(path, () => endless(blanks))
    const sentence = `The remote sends more than 64 MiB at once at ${path}, and no daybook does.\n`
    expect([exitCode, err]).toEqual([1, sentence])
  },
  60_000,
)

const zstd = () =>
  new Response(new Uint8Array(Bun.zstdCompressSync(new Uint8Array(256 * MEBIBYTE))), {
    headers: { 'Content-Encoding': 'zstd' },
  })
const OTHERS: [what: string, path: string, respond: () => Response, sentence: string][] = [
  [
    'small until it is decompressed',
    '/openapi.json',
    () => endless(packed, { 'Content-Encoding': 'gzip' }),
    'more than 64 MiB at once at /openapi.json',
  ],
  [
    'small until it is decompressed with zstd',
    '/openapi.json',
    zstd,
    'more than 64 MiB at once at /openapi.json',
  ],
  [
    'in an encoding that was not asked for',
    '/openapi.json',
    () => new Response(new Uint8Array(MEBIBYTE), { headers: { 'Content-Encoding': 'br' } }),
    'does not respond as a daybook server',
  ],
  [
    'a failure without end',
    '/v1/workspace',
    () => new Response(endless(blanks).body, { status: 500 }),
    'answered 500, but not as a daybook server.',
  ],
]
test.each(OTHERS)(
  'and so is one that is %s',
  async (_, path, respond, sentence) => {
    const { exitCode, err } = await copyFrom(path, respond)
    expect([exitCode, err]).toEqual([1, expect.stringContaining(sentence)])
  },
  60_000,
)

test('a file is read as far as its size', async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(3_000))
  const id = await makeFile(service, { name: 'endless.bin', bytes })
  const { exitCode, err } = await copyFrom(`/v1/files/${id}/content`, () => endless(blanks))
  expect([exitCode, err]).toEqual([1, `The file ${id} has 3000 bytes, but more arrived.\n`])
}, 60_000)

test('copies responses compressed with gzip, as by a proxy', async () => {
  await service.post('/v1/notes', { title: 'one' })
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      expect(request.headers.get('accept-encoding')).toBe('zstd, gzip')
      request.headers.delete('accept-encoding')
      const response = await service.app.fetch(request)
      const headers = { ...Object.fromEntries(response.headers), 'Content-Encoding': 'gzip' }
      return new Response(gzipSync(await response.arrayBuffer()), { status: response.status, headers })
    },
  })
  const child = spawn(
    [...program(), 'mirror', `http://127.0.0.1:${server.port}`, '--once', '--db', folder.file('mirror.db')],
    { env: { DAYBOOK_KEY: service.key ?? '' }, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  )
  expect([await child.exited, await child.stderr.text()]).toEqual([
    0,
    expect.stringContaining('is a copy of'),
  ])
  await server.stop(true)
}, 60_000)
