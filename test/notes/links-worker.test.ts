import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { refreshLinks, startLinkIndexing } from '../../src/notes/links/indexing.ts'
import { callerOf } from '../support/cli.ts'
import { declareEndless, ENDLESS } from '../support/endless.ts'
import { makeNote } from '../support/notes.ts'
import { newFolder } from '../support/process.ts'
import { queryOf } from '../support/records.ts'
import { settle, startService, type TestService, type TestServiceOptions } from '../support/service.ts'

const folder = newFolder()
const open: TestService[] = []
let files = 0

async function start(worker: TestServiceOptions['worker']) {
  const service = await startService({ file: folder.file('links.db'), worker })
  open.push(service)
  return service
}

afterEach(() => {
  for (const service of open.splice(0)) service.close()
})
afterAll(() => folder.remove())

test('the many links of one note are resolved in the worker, and the few of another are not', async () => {
  const impatient = await start({ timeLimitMs: 0, manyRows: 1_000 })
  const content = Array.from({ length: 1_500 }, (_, at) => `[[Note ${at}]]`).join(' ')
  const many = await makeNote(impatient, { title: 'Many', content })
  const few = await makeNote(impatient, { title: 'Note 7', content: '[[many]]' })
  expect((await impatient.get(`/v1/notes/${many.id}/links`)).body.code).toBe('refused')
  expect((await impatient.get(`/v1/notes/${few.id}/links`)).body.outgoing[0].note.title).toBe('Many')
  const patient = await start({})
  const inline = await start({ manyRows: 1_000_000 })
  const { status, body } = await patient.get(`/v1/notes/${many.id}/links`)
  expect([status, body.outgoing.length, body.backlinks.length]).toEqual([200, 1_500, 1])
  expect(body).toEqual((await inline.get(`/v1/notes/${many.id}/links`)).body)
  const everything = await start({ manyRows: -1 })
  expect((await everything.get(`/v1/notes/${few.id.toUpperCase()}/links`)).body.code).toBe('not_found')
})

test('links that are not written yet are found for the request that reads them, and for the next when it is gone', async () => {
  const service = await start({})
  const content = Array.from({ length: 3_000 }, (_, at) => `[[Note ${at}]]`).join(' ')
  const { id } = await makeNote(service, { content })
  const pending = () => service.ctx.db.sql.scalar('SELECT count(*) FROM links_pending')
  const caller = callerOf(service)
  const client = new AbortController()
  const reads = [
    refreshLinks(service.ctx, { ...caller, signal: client.signal }),
    refreshLinks(service.ctx, caller),
  ]
  client.abort()
  const [gone, here] = await Promise.allSettled(reads)
  expect(gone).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
  expect(here?.status).toBe('fulfilled')
  expect(pending()).toBe(0)
  expect((await service.get(`/v1/notes/${id}/links`)).body.outgoing).toHaveLength(3_000)
})

describe('while the only query of a key that runs never ends', () => {
  const content = Array.from({ length: 3_000 }, (_, at) => `[[Note ${at}]]`).join(' ')
  let service: TestService
  let id: string
  /** Lets the client of the key go away, which asks for what never ends and then for the links. */
  let leave: () => void
  let left: Promise<unknown>

  beforeEach(async () => {
    service = await startService({ file: folder.file(`busy ${++files}.db`), worker: { manyRows: -1 } })
    open.push(service)
    await declareEndless(service, 'endless')
    id = (await makeNote(service, { title: 'Many', content })).id
    const client = new AbortController()
    const ask = (path: string) =>
      service.app.fetch(
        new Request(`http://localhost${path}`, {
          headers: { authorization: `Bearer ${service.key}` },
          signal: client.signal,
        }),
      )
    const endless = ask(`/v1/records?${queryOf({ structure: 'endless', ...ENDLESS })}`)
    await settle()
    left = Promise.all([endless, ask(`/v1/notes/${id}/links`)])
    await settle()
    leave = () => client.abort()
  })

  test('another key reads links that are not written yet, renames what they lead to and sees the graph', async () => {
    const other = service.as(await service.newKey())
    expect((await other.get(`/v1/notes/${id}/links`)).body.outgoing).toHaveLength(3_000)
    const renamed = await other.patch(`/v1/notes/${id}`, { title: 'Moved', rewrite_links: true })
    expect(renamed.status).toBe(200)
    expect((await other.get('/v1/graph')).status).toBe(200)
    leave()
    await left
  })

  test('links are written in the background, and a client that goes away is no failure of it', async () => {
    const { db } = service.ctx
    const written = new Promise<void>((resolve) => {
      const stop = db.onCommit(() => {
        if (db.sql.scalar('SELECT count(*) FROM links_pending') !== 0) return
        stop()
        resolve()
      })
    })
    const stop = startLinkIndexing(service.ctx)
    service.clock.advance(200)
    leave()
    await left
    await settle()
    expect(service.logged().filter(({ level }) => level === 'warn')).toEqual([])
    await written
    stop()
    expect(db.sql.scalar<number>('SELECT count(*) FROM note_links')).toBe(3_000)
  })
})
