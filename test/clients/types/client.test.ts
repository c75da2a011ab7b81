import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawn } from 'bun'
import type { createClient } from '../../../src/clients/types/client.ts'
import type { Note } from '../../../src/clients/types/surface.ts'
import { hasBrowser, sharedBrowser } from '../../support/browser.ts'
import { runInProcess } from '../../support/cli.ts'
import { newFolder, type ServerProcess, startProcess } from '../../support/process.ts'
import { startService } from '../../support/service.ts'

const folder = newFolder()
let server: ServerProcess
let between: ReturnType<typeof proxyOf>
let script: string

const FIELDS = [
  { key: 'title', type: 'text', required: true, unique: true },
  { key: 'count', type: 'number' },
  { key: 'parent', type: 'record', structure: 'Samples' },
]

const WORKER =
  "import { run } from '/script.js'; run().then(postMessage, (error) => postMessage(String(error)))"

/** Forwards requests; asks streams to reconnect at once, and breaks them on `/cut`. */
function proxyOf(target: () => string) {
  const streams = new Set<() => void>()
  const waiting: (() => void)[] = []
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    if (pathname === '/page') return new Response('', { headers: { 'Content-Type': 'text/html' } })
    const code = { '/script.js': script, '/worker.js': WORKER }[pathname]
    if (code !== undefined) return new Response(code, { headers: { 'Content-Type': 'text/javascript' } })
    if (pathname.startsWith('/cut')) {
      for (const cut of streams) cut()
      return new Response('cut')
    }
    const response = await fetch(target() + pathname + search, request).catch(() => undefined)
    if (!response) return new Response('nobody is there', { status: 502 })
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
    const text = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => {
        const cut = () => {
          streams.delete(cut)
          controller.terminate()
        }
        streams.add(cut)
        for (const open of waiting.splice(0)) open()
      },
      transform: (bytes, controller) => {
        const said = Buffer.from(bytes).toString('latin1').replace('retry: 2000', 'retry: 10')
        controller.enqueue(Buffer.from(said, 'latin1'))
      },
    })
    return new Response(response.body?.pipeThrough(text), response)
  }
  const listener = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: answer })
  return {
    port: listener.port,
    stop: () => listener.stop(true),
    /** Resolves when the next stream is open. */
    opened: () => new Promise<void>((open) => waiting.push(open)),
  }
}

const urlOf = () => `http://127.0.0.1:${between.port}`

/** The library generated for the server, loaded in this process. */
let library: { createClient: typeof createClient }

beforeAll(async () => {
  server = await startProcess(folder.file('daybook.db'))
  between = proxyOf(() => server.url)
  const { body } = await server.post('/v1/records/structures', {
    name: 'Samples',
    fields: FIELDS.slice(0, 2),
  })
  await server.patch(`/v1/records/structures/${body.structure.id}`, { fields: FIELDS })
  const args = ['types', '--url', urlOf(), '--out', folder.file('daybook.ts')]
  expect(await runInProcess(args, { env: { DAYBOOK_KEY: server.key ?? '' } })).toMatchObject({
    exitCode: 0,
    err: '',
  })
  await Bun.write(
    folder.file('entry.ts'),
    `import * as library from './daybook.ts'
     import { scenario } from ${JSON.stringify(`${import.meta.dir}/scenario.ts`)}
     export const run = () => scenario(library, ${JSON.stringify(urlOf())}, ${JSON.stringify(server.key)})`,
  )
  const built = await Bun.build({ entrypoints: [folder.file('entry.ts')], target: 'browser' })
  script = (await built.outputs[0]?.text()) ?? ''
  await Bun.write(folder.file('entry.mjs'), script)
  library = await import(folder.file('daybook.ts'))
})

afterAll(async () => {
  await between.stop()
  await server.end()
  folder.remove()
})

const EXPECTED = {
  rows: {
    isSame: true,
    page: ['A', 'B'],
    total: [2, false],
    searched: 1,
    parent: true,
    changed: { title: 'A' },
    merged: true,
    summary: [[2, 5]],
    stale: '409 stale',
    refused: '400 unique_violation',
    missing: '404 not_found',
  },
  notes: ['Note', 'x\n\n## H\n\ny', 1, 0],
  watched: [
    ['B', 2, null],
    ['W1', 3, ['W1']],
    ['W2', 4, ['W2']],
  ],
  followed: [['created', 'F1'], ['created', 'F2'], ['created', 'F3'], 'ended'],
  unknown: '401 unauthorized',
  elsewhere: '200 unexpected_response',
}

const RUN = "import('./entry.mjs').then(({ run }) => run()).then((said) => console.log(JSON.stringify(said)))"
const IN_WORKER = `new Promise((said) => {
  new Worker('/worker.js', { type: 'module' }).onmessage = ({ data }) => said(data)
})`

/** Deletes the rows of an earlier run, which would conflict with the next one. */
async function clear(): Promise<void> {
  const samples = library.createClient({ url: server.url, key: server.key ?? '' }).records('Samples')
  for (const { id } of (await samples.list()).records) await samples.delete(id)
}

/** Returns the output of a program in another runtime. */
async function inProgram(...command: string[]): Promise<unknown> {
  const child = spawn(command, { cwd: folder.path, stdout: 'pipe', stderr: 'inherit' })
  return JSON.parse(await child.stdout.text())
}

async function inBrowser(run: string): Promise<unknown> {
  const page = await (await sharedBrowser()).newPage()
  await page.goto(`${urlOf()}/page`)
  const said = await page.evaluate(run)
  await page.close()
  return said
}

describe('the generated client does the same', () => {
  const inBun = async () => (await import(folder.file('entry.mjs'))).run()
  test.each([
    ['Bun', true, inBun],
    ['Node', Bun.which('node') !== null, () => inProgram('node', '-e', RUN)],
    ['Deno', Bun.which('deno') !== null, () => inProgram('deno', 'eval', RUN)],
    ['a page of Chromium', hasBrowser, () => inBrowser("import('/script.js').then(({ run }) => run())")],
    ['a worker of Chromium', hasBrowser, () => inBrowser(IN_WORKER)],
  ])('in %s', async (_, isThere, run) => {
    if (!isThere) return
    await clear()
    expect(await run()).toEqual(EXPECTED)
  })
})

describe('a stream', () => {
  const clientOf = (key: string) => library.createClient({ url: urlOf(), key })
  const command = (...args: string[]) => runInProcess([...args, '--db', folder.file('daybook.db')])
  const newKey = async (name: string) => (await command('keys', 'create', '--name', name)).out.trim()
  const codeOf = ({ status, code }: { status: number; code: string }) => `${status} ${code}`

  test('resumes after an outage of the server, without a lost or repeated change', async () => {
    const client = clientOf(server.key ?? '')
    const changes = client.changes.follow({ after: 'now', kinds: ['note'], include: 'objects' })
    const stream = changes[Symbol.asyncIterator]()
    const next = async () => ((await stream.next()).value as { object: Note }).object.title
    const first = next()
    // Its first connection opens once the current cursor is known.
    await between.opened()
    await client.notes.create({ title: 'first' })
    expect(await first).toBe('first')
    const second = next()
    await server.end('SIGTERM')
    server = await startProcess(folder.file('daybook.db'), { key: server.key })
    for (const title of ['second', 'third']) await client.notes.create({ title })
    expect([await second, await next()]).toEqual(['second', 'third'])
    await stream.return?.()
  })

  test('names changed objects, including tags, like a list of changes', async () => {
    const { changes, notes } = clientOf(server.key ?? '')
    const { cursor: after } = await changes.list({ after: 'now' })
    await notes.create({ title: 'tagged', tags: ['by its number'] })
    const query = { after, kinds: ['tag'] }
    const listed = (await changes.list(query)).changes.map(({ id }) => id)
    expect(listed).toEqual([expect.stringMatching(/^\d+$/)])
    for await (const { id } of changes.follow(query)) {
      expect(id).toBe(listed[0] as string)
      break
    }
  })

  test('ends with the refusal of the API when its key is revoked or lacks access', async () => {
    const client = clientOf(await newKey('short'))
    const watch = client.records('Samples').watch()[Symbol.asyncIterator]()
    await watch.next()
    const next = watch.next().catch(codeOf)
    await command('keys', 'revoke', 'short')
    expect(await next).toBe('401 key_revoked')
    const again = client.records('Samples').watch()[Symbol.asyncIterator]()
    expect(await again.next().catch(codeOf)).toBe('401 unauthorized')
    const other = await startService()
    const { cursor: after } = (await other.get('/v1/changes?after=now')).body
    other.close()
    const foreign = clientOf(server.key ?? '')
      .changes.follow({ after })
      [Symbol.asyncIterator]()
    expect(await foreign.next().catch(codeOf)).toBe('410 cursor_expired')
  })

  test('ends without an error when its signal aborts or its reader stops, also while waiting', async () => {
    const { changes } = clientOf(server.key ?? '')
    const ending = new AbortController()
    const followed = changes.follow({ after: 'now', signal: ending.signal })
    const waiting = followed[Symbol.asyncIterator]().next()
    ending.abort()
    expect(await waiting).toMatchObject({ done: true })
    for await (const _ of followed) expect('an aborted stream').toBe('over')
    const other = changes.follow({ after: 'now' })[Symbol.asyncIterator]()
    const left = other.next()
    await other.return?.()
    expect(await left).toMatchObject({ done: true })
  })
})
