import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { untilText } from '../support/application-server.ts'
import { hasBrowser, sharedBrowser } from '../support/browser.ts'
import { type CommandProcess, newFolder, startCommand } from '../support/process.ts'

/** The session of a user who opened the link of a demo. */
interface Visit {
  readonly link: string
  get(path: string): Promise<Response>
  post(path: string, body: object): Promise<Response>
}

const folders: ReturnType<typeof newFolder>[] = []
afterAll(() => {
  for (const folder of folders) folder.remove()
})

async function start(...args: string[]) {
  const [temporary, elsewhere] = [newFolder(), newFolder()]
  folders.push(temporary, elsewhere)
  const env = { TMPDIR: temporary.path, DAYBOOK_DB: elsewhere.file('mine.db'), DAYBOOK_PORT: '1' }
  const command = startCommand(['demo', ...args], { env, cwd: elsewhere.path })
  const [link] = await command.out.until(/http:\S+\/app\/demo\/\S+/)
  const [, url = ''] = await command.out.until(/listening on (http:\S+)/)
  const opened = await fetch(link, { redirect: 'manual' })
  expect([opened.status, opened.headers.get('location')]).toEqual([302, '/app/notes/today'])
  const [cookie = ''] = opened.headers.get('set-cookie')?.split(';') ?? []
  const send = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  const visit: Visit = {
    link,
    get: send,
    post: (path, body) => send(path, { method: 'POST', body: JSON.stringify(body) }),
  }
  return {
    command,
    visit,
    url,
    filesIn: { temporary: () => readdirSync(temporary.path), elsewhere: () => readdirSync(elsewhere.path) },
    path: temporary.file,
  }
}

/** Returns the content of the workspace, without ids. */
async function contents({ get }: Visit) {
  // biome-ignore lint/suspicious/noExplicitAny: it is compared with another one as a whole
  const json = async (path: string): Promise<any> => (await get(path)).json()
  const { structures } = await json('/v1/records/structures')
  const rows = structures.map(async ({ name }: { name: string }) => {
    const { records, total } = await json(
      `/v1/records?structure=${name}&limit=500&sort=created_at&direction=asc`,
    )
    return [name, total, records.map(({ data }: { data: object }) => ({ ...data, customer: null }))]
  })
  const { notes } = await json('/v1/notes?sort=title&limit=200')
  const { counts } = (await json('/v1/workspace')).workspace
  return {
    rows: await Promise.all(rows),
    notes: notes.map(({ title, content, tags, updated_at }: Record<string, string>) => ({
      title,
      content,
      tags,
      updated_at,
    })),
    views: (await json('/v1/records/views')).row_views.map(({ name, kind }: Record<string, string>) => [
      name,
      kind,
    ]),
    counts,
  }
}

describe('a demo', () => {
  let demo: Awaited<ReturnType<typeof start>>
  let readOnly: Awaited<ReturnType<typeof start>>
  const ended: CommandProcess[] = []
  beforeAll(async () => {
    ;[demo, readOnly] = await Promise.all([start(), start('--read-only')])
  })
  afterAll(async () => {
    for (const { command } of [demo, readOnly]) if (!ended.includes(command)) await command.end('SIGKILL')
  })

  test('has the same content each time: notes, rows of three structures, views', async () => {
    const [one, other] = await Promise.all([contents(demo.visit), contents(readOnly.visit)])
    expect(one).toEqual(other)
    expect(one.rows.map(([name, total]: [string, number]) => [name, total])).toEqual([
      ['Customers', 60],
      ['Orders', 260],
      ['Expenses', 240],
      ['Payments', 2],
    ])
    expect(one.views).toEqual([
      ['Board', 'board'],
      ['Calendar', 'calendar'],
      ['In the workshop', 'calendar'],
      ['Not paid', 'table'],
    ])
    expect(one.counts).toMatchObject({ notes: 11, views: 1, quick_access: 2, trashed_notes: 0 })
  })

  test('signs in by its link alone, as an owner or as a viewer', async () => {
    expect(await (await demo.visit.get('/app/api/session')).json()).toMatchObject({
      workspace: { role: 'owner' },
    })
    expect((await demo.visit.post('/v1/notes', { title: 'Mine' })).status).toBe(201)
    expect(await (await readOnly.visit.get('/app/api/session')).json()).toMatchObject({
      workspace: { role: 'viewer' },
    })
    expect((await readOnly.visit.post('/v1/notes', { title: 'Mine' })).status).toBe(403)
    const wrong = await fetch(`${demo.visit.link.slice(0, -1)}~`, { redirect: 'manual' })
    expect([wrong.status, wrong.headers.has('set-cookie')]).toEqual([404, false])
  })

  test('has three people, a discussion, payments of which two are unmapped, and a delivery that fails', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: each answer is judged by what the test expects of it
    const json = async (path: string): Promise<any> => (await demo.visit.get(path)).json()
    const { members } = await json('/app/api/members')
    expect(members.map(({ name }: { name: string }) => name)).toEqual(['owner', 'Mira', 'Tom'])
    const { items, unread } = await json('/v1/inbox')
    expect(unread).toBe(2)
    expect(items.map(({ reason, title }: Record<string, string>) => [reason, title])).toEqual([
      ['reply', 'Long table'],
      ['mention', 'Long table'],
    ])
    const [source] = (await json('/v1/sources')).sources
    expect(source).toMatchObject({ provider: 'stripe', counts: { written: 2, unmapped: 2 } })
    const today = new Date().toISOString().slice(0, 10)
    const due = encodeURIComponent(JSON.stringify([{ field: 'due', op: 'eq', value: today }]))
    expect((await json(`/v1/records?structure=Orders&filter=${due}`)).total).toBeGreaterThanOrEqual(3)
    const [webhook] = (await json('/v1/webhooks')).webhooks
    for (;;) {
      const { deliveries } = await json(`/v1/webhooks/${webhook.id}/deliveries`)
      expect([deliveries.length, deliveries[0].status]).toEqual([1, 'pending'])
      if (deliveries[0].attempts > 0) break
      await Bun.sleep(20)
    }
  })

  test('was written by its members in the application, up to the day before', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: each answer is judged by what the test expects of it
    const json = async (path: string): Promise<any> => (await readOnly.visit.get(path)).json()
    const { changes } = await json('/v1/changes?before=now&limit=20')
    const actors = changes.map(
      ({ actor }: { actor: Record<string, string> }) => `${actor.name} ${actor.surface}`,
    )
    expect(new Set(actors)).toEqual(new Set(['owner web', 'Mira web', 'Tom web', 'Card payments source']))
    const newest = Math.max(...changes.map(({ at }: { at: string }) => Date.parse(at)))
    const today = Date.parse(new Date().toISOString().slice(0, 10))
    expect(newest).toBeLessThan(today)
    expect(newest).toBeGreaterThan(today - 86_400_000)
    expect((await json('/app/api/sessions')).sessions).toHaveLength(1)
  })

  test.skipIf(!hasBrowser)('opens on today with the rows that are due, in a browser', async () => {
    const context = await (await sharedBrowser()).createBrowserContext()
    const page = await context.newPage()
    await page.goto(demo.visit.link)
    await untilText(page, 'From your tables')
    expect(new URL(page.url()).pathname).toStartWith('/app/notes/')
    await context.close()
  })

  test('writes below TMPDIR alone, and nothing is left at its end, by SIGTERM as by Ctrl+C', async () => {
    const [file = ''] = demo.filesIn.temporary().filter((name) => name.endsWith('.db'))
    expect(statSync(demo.path(file)).mode & 0o777).toBe(0o600)
    ended.push(demo.command, readOnly.command)
    expect(await demo.command.end('SIGTERM')).toBe(0)
    expect(await readOnly.command.end('SIGINT')).toBe(0)
    for (const { temporary, elsewhere } of [demo.filesIn, readOnly.filesIn])
      expect([temporary(), elsewhere()]).toEqual([[], []])
  })
})
