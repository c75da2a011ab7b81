import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { runInProcess } from '../../support/cli.ts'
import { makeFile } from '../../support/files.ts'
import { mirrorOf, type TestMirror } from '../../support/mirror.ts'
import { newFolder } from '../../support/process.ts'
import { startService, type TestService } from '../../support/service.ts'

/*
 * Between a mirror and its remote may be a proxy, a sign-in page, or a connection that ends too early. The mirror
 * accepts none of their responses as the workspace.
 */

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

/** Copies once from a remote that sends another body at one path. */
async function copyFrom(path: string, body: string) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) =>
      new URL(request.url).pathname === path ? new Response(body) : service.app.fetch(request),
  })
  const url = `http://127.0.0.1:${server.port}`
  const env = { DAYBOOK_KEY: service.key ?? '' }
  const args = ['mirror', url, '--once', '--db', folder.file('mirror.db')]
  const outcome = await runInProcess(args, { env, hasNoSignal: true })
  await server.stop(true)
  return {
    ...outcome,
    expected: `${url} does not respond as a daybook server; check the address, and any proxy in front of it.\n`,
  }
}

const BODIES = [
  '<html>Sign in</html>',
  '',
  'null',
  '5',
  '"text"',
  '[]',
  '{}',
  '{"cursor":5}',
  '{"object":null}',
]
const PATHS = ['/openapi.json', '/v1/workspace', '/v1/records/structures', '/v1/changes']

test.each(PATHS.flatMap((path) => BODIES.map((body): [string, string] => [path, body])))(
  'what is no response of a daybook is refused in one sentence: at %s, %j',
  async (path, body) => {
    const { exitCode, err, expected } = await copyFrom(path, body)
    expect([exitCode, err]).toEqual([1, expected])
  },
)

test.each(BODIES.filter((body) => body !== ''))('and so is what is no snapshot: %j', async (body) => {
  const { exitCode, err, expected } = await copyFrom('/v1/changes/snapshot', `${body}\n`)
  expect([exitCode, err]).toEqual([1, expected])
})

test('a page of changes that leads to itself is not requested endlessly', async () => {
  const { exitCode, err, expected } = await copyFrom(
    '/v1/changes',
    '{"changes":[],"cursor":"000000000000-0","has_more":true}',
  )
  expect([exitCode, err]).toEqual([1, expected])
})

test('stores nothing of a file that arrives incomplete, and fetches it again', async () => {
  let isCut = false
  const mirror = await mirrorOf(service, {
    between: async (request, answer) => {
      const response = await answer()
      if (!isCut || !new URL(request.url).pathname.endsWith('/content')) return response
      return new Response((await response.bytes()).subarray(0, 1_000))
    },
  })
  const bytes = crypto.getRandomValues(new Uint8Array(3_000))
  isCut = true
  const id = await makeFile(service, { name: 'cut.bin', bytes })
  await expect(mirror.catchUp()).rejects.toThrow(`The file ${id} has 3000 bytes, but only 1000 arrived.`)
  expect((await mirror.get(`/v1/files/${id}`)).status).toBe(404)
  isCut = false
  await mirror.catchUp()
  expect((await mirror.get(`/v1/files/${id}/content`)).status).toBe(200)
  expect((await mirror.get(`/v1/files/${id}`)).body.file.size).toBe(3_000)
  await mirror.close()
})

describe('a proxy that returns 404 while the remote restarts', () => {
  let isAway = false
  let mirror: TestMirror
  const notFound = () => new Response('404 page not found', { status: 404 })
  beforeEach(async () => {
    isAway = false
    mirror = await mirrorOf(service, {
      isForwarding: true,
      between: async (request, answer) =>
        isAway && !new URL(request.url).pathname.startsWith('/v1/changes') ? notFound() : answer(),
    })
  })
  afterEach(() => mirror.close())

  test('takes no bytes of a file away', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(3_000))
    isAway = true
    const id = await makeFile(service, { name: 'whole.bin', bytes })
    await expect(mirror.catchUp()).rejects.toThrow('The remote answered 404, but not as a daybook server.')
    isAway = false
    await mirror.catchUp()
    expect((await mirror.get(`/v1/files/${id}/content`)).status).toBe(200)
  })

  test('loses no event of a record that was created and deleted meanwhile', async () => {
    await service.post('/v1/records/structures', { name: 'Rows', fields: [{ key: 'name', type: 'text' }] })
    await mirror.catchUp()
    const { body } = await service.post('/v1/records', { structure: 'Rows', data: { name: 'short-lived' } })
    await service.delete(`/v1/records/${body.records[0].id}`)
    isAway = true
    await expect(mirror.catchUp()).rejects.toThrow('The remote answered 404, but not as a daybook server.')
    isAway = false
    await mirror.catchUp()
    expect(mirror.events().map(({ type }) => type)).toEqual(['record.created', 'record.deleted'])
  })
})
