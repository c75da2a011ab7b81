import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { isStreamed } from '../../../src/lib/response-stream.ts'
import { alter } from '../../support/database.ts'
import { makeFile } from '../../support/files.ts'
import { newFolder } from '../../support/process.ts'
import { settle, startService, type TestService } from '../../support/service.ts'
import { until } from '../../support/webhooks.ts'
import { type Samples, startSampled } from '../samples.ts'
import { isWrite, table } from './endpoints.ts'
import { ENDS, endNow, newSubject, type Subject } from './subject.ts'

/* Streams end within a second after the permission of their reader has ended. */

const LARGE = new Uint8Array(4 * 1024 * 1024).fill(65)
const EVENTS = { accept: 'text/event-stream' }

interface Stream {
  readonly path: (ids: { file: string; note: string }) => string
  readonly headers?: Readonly<Record<string, string>>
  /** Event streams report why they end; other responses are aborted. */
  readonly isEvents?: true
}

/** Every endpoint with a continuous response; a backup has its own tests. */
const STREAMS: Readonly<Record<string, Stream>> = {
  'GET /v1/records/watch': { path: () => '/v1/records/watch?structure=Errands', isEvents: true },
  'GET /v1/changes': { path: () => '/v1/changes?after=now', headers: EVENTS, isEvents: true },
  'GET /v1/notes/:id/presence': { path: ({ note }) => `/v1/notes/${note}/presence`, isEvents: true },
  'GET /v1/changes/snapshot': { path: () => '/v1/changes/snapshot' },
  'GET /v1/files/:id/content': { path: ({ file }) => `/v1/files/${file}/content` },
  'GET /v1/notes/:id/revisions': { path: ({ note }) => `/v1/notes/${note}/revisions?limit=100` },
}

let service: TestService
let samples: Samples
let ids: { file: string; note: string }
const rows = await table()

beforeAll(async () => {
  ;({ service, samples } = await startSampled())
  const { note } = (await service.post('/v1/notes', { title: 'Long', content: 'x'.repeat(400_000) })).body
  for (const letter of 'abcdef')
    await service.patch(`/v1/notes/${note.id}`, { content: letter.repeat(400_000) })
  ids = { file: await makeFile(service, { bytes: LARGE }), note: note.id }
})
afterAll(() => service.close())

test('every streamed response has a row here', async () => {
  const subject = await newSubject(service, 'key')
  const goingOn = new Set<string>()
  for (const row of rows.filter((one) => !isWrite(one) && one.kind === 'key' && !one.tool)) {
    const known = STREAMS[row.name]
    const path = known?.path(ids) ?? row.request(samples, subject).path
    const response = await open(
      subject,
      { path: () => path, ...(known?.headers && { headers: known.headers }) },
      row.route.method,
    )
    if (isStreamed(response)) goingOn.add(row.name)
    await response.body?.cancel()
  }
  expect([...goingOn].sort()).toEqual(Object.keys(STREAMS).sort())
})

const open = async ({ headers }: Subject, { path, headers: more }: Stream, method = 'GET') =>
  service.app.fetch(
    new Request(`http://localhost${path(ids)}`, {
      method,
      headers: { ...headers, ...more },
      ...(method === 'POST' && { body: '{}' }),
    }),
  )

/** Reads a response to its end; `end` is undefined until the response has ended. */
function reading(response: Response) {
  const reader = response.body?.getReader()
  const state: { text: string; end: 'whole' | 'broken off' | undefined } = { text: '', end: undefined }
  const decoder = new TextDecoder()
  const next = async (): Promise<void> => {
    const part = await reader?.read()
    if (part?.done) state.end = 'whole'
    else state.text += decoder.decode(part?.value)
  }
  const all = async () => {
    try {
      while (state.end === undefined) await next()
    } catch {
      state.end = 'broken off'
    }
  }
  return { state, next, all }
}

const CODES: Readonly<Record<string, string>> = { 'its key expires': 'key_expired' }
const codeOf = (kind: Subject['kind'], how: string) =>
  kind === 'session' ? 'session_ended' : (CODES[how] ?? 'key_revoked')

const cases = Object.entries(STREAMS).flatMap(([name, stream]) =>
  (['key', 'session'] as const).flatMap((kind) =>
    Object.entries(ENDS[kind]).map(
      ([how, end]) => [`${name} when ${how} (${kind})`, { stream, kind, how, end }] as const,
    ),
  ),
)

describe('a streamed response ends', () => {
  test.each(cases)('%s', async (_, { stream, kind, how, end }) => {
    const subject = await newSubject(service, kind)
    const { state, next, all } = reading(await open(subject, stream))
    await next()
    endNow(subject, end)
    service.ctx.bus.notify()
    void all()
    await settle()
    if (!stream.isEvents) return expect(state.end).toBe('broken off')
    expect(state.end).toBe('whole')
    expect(state.text).toContain(`"code":"${codeOf(kind, how)}"`)
  })

  test.each(Object.entries(STREAMS))(
    '%s, but not when its person looks into another workspace',
    async (_, stream) => {
      const subject = await newSubject(service, 'session')
      await service.newWorkspace(`Other ${subject.name}`)
      const { state, next } = reading(await open(subject, stream))
      await next()
      endNow(subject, (tx) =>
        tx.sql.run(
          'UPDATE sessions SET workspace = (SELECT max(pk) FROM workspaces) WHERE id = ?',
          subject.sessionId,
        ),
      )
      service.ctx.bus.notify()
      await settle()
      expect(state.end).toBeUndefined()
    },
  )
})

describe('over a connection', () => {
  test.each([true, false])('a download ends at once, whether its client reads or not: %p', async (reads) => {
    const subject = await newSubject(service, 'session')
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 60, fetch: service.app.fetch })
    const file = await makeFile(service, { bytes: new Uint8Array(40 * 1024 * 1024) })
    const socket = connect(server.port ?? 0, '127.0.0.1')
    let received = 0
    let isClosed = false
    socket.on('data', (bytes) => {
      received += bytes.length
      // Simulates a slow reader.
      if (received > 1_000_000) socket.pause()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      isClosed = true
    })
    const { cookie } = subject.headers
    socket.write(
      `GET /v1/files/${file}/content HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nCookie: ${cookie}\r\n\r\n`,
    )
    await until(() => received > 1_000_000)
    if (!reads) socket.pause()
    endNow(subject, ENDS.session['its person signs out'] ?? (() => {}))
    service.ctx.bus.notify()
    const endedAt = performance.now()
    await until(() => server.pendingRequests === 0)
    expect(performance.now() - endedAt).toBeLessThan(1_000)
    socket.resume()
    await until(() => isClosed)
    expect(received).toBeLessThan(40 * 1024 * 1024)
    await server.stop(true)
  })
})

describe('a backup', () => {
  let folder: ReturnType<typeof newFolder>
  let stored: TestService
  beforeAll(async () => {
    folder = newFolder()
    stored = await startService({ file: folder.file('daybook.db') })
    // Larger than the buffers of a connection.
    await makeFile(stored, { bytes: crypto.getRandomValues(new Uint8Array(65_536)) })
    for (let count = 0; count < 3; count++)
      await makeFile(stored, { bytes: new Uint8Array(8 * 1024 * 1024).fill(count) })
  })
  afterEach(() => alter(stored, "DELETE FROM workspaces WHERE id = 'other'"))
  afterAll(() => {
    stored.close()
    folder.remove()
  })

  const backup = async (subject: Subject) =>
    stored.app.fetch(new Request('http://localhost/app/api/backup', { headers: subject.headers }))
  const copies = () => readdirSync(folder.path).filter((name) => name.startsWith('.backup-'))

  test('is created and sent one at a time, and its copy is removed', async () => {
    const subject = await newSubject(stored, 'session')
    const first = backup(subject)
    const second = await backup(subject)
    expect([second.status, Number(second.headers.get('retry-after')) > 0]).toEqual([503, true])
    const response = await first
    expect(response.status).toBe(200)
    expect((await backup(subject)).status).toBe(503)
    const bytes = await response.bytes()
    expect(bytes.length).toBe(Number(response.headers.get('content-length')))
    await until(() => copies().length === 0)
    const again = await backup(subject)
    expect(again.status).toBe(200)
    await again.body?.cancel()
    await until(() => copies().length === 0)
  })

  test('whose client reads nothing for a minute is cancelled, and the next one can start', async () => {
    const subject = await newSubject(stored, 'session')
    const { state, next, all } = reading(await backup(subject))
    await next()
    stored.clock.advance(59_000)
    await next()
    stored.clock.advance(61_000)
    await all()
    expect(state.end).toBe('broken off')
    await until(() => copies().length === 0)
    const again = await backup(subject)
    expect(again.status).toBe(200)
    await again.body?.cancel()
  })

  const signsOut = ENDS.session['its person signs out'] ?? (() => {})
  const noLongerOwnsAll: typeof signsOut = ({ sql }) =>
    sql.run("INSERT INTO workspaces (id, name, name_fold, created_at) VALUES ('other', 'Other', 'other', 0)")

  test.each([
    ['signs out', signsOut],
    ['no longer owns every workspace', noLongerOwnsAll],
  ] as const)('that is half sent is cancelled when its user %s', async (_, end) => {
    const subject = await newSubject(stored, 'session')
    const { state, next, all } = reading(await backup(subject))
    await next()
    endNow(subject, end)
    stored.ctx.bus.notify()
    await all()
    expect(state.end).toBe('broken off')
    await until(() => copies().length === 0)
  })

  test.each([
    ['signs out', signsOut, 401],
    ['no longer owns every workspace', noLongerOwnsAll, 403],
  ] as const)('that is being created is stopped when its user %s', async (_, end, status) => {
    const subject = await newSubject(stored, 'session')
    const made = backup(subject)
    await settle()
    endNow(subject, end)
    stored.ctx.bus.notify()
    expect((await made).status).toBe(status)
    await until(() => copies().length === 0)
  })
})
