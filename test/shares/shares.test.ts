import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeFile } from '../support/files.ts'
import { removeUser, setRole } from '../support/members.ts'
import { makeNote } from '../support/notes.ts'
import { declare, field, write } from '../support/records.ts'
import { settle, startService, type TestClock, type TestService, testClock } from '../support/service.ts'

const DAY_MS = 86_400_000

let clock: TestClock
let service: TestService

beforeEach(async () => {
  clock = testClock()
  service = await startService({ clock })
})
afterEach(() => service.close())

async function share(input: Record<string, unknown>, by = service as { post: TestService['post'] }) {
  const { status, body } = await by.post('/v1/shares', input)
  expect([status, body.error]).toEqual([201, undefined])
  return body.share
}

/** Requests an address without a key. */
async function visit(url: string, init: RequestInit = {}) {
  const response = await service.app.fetch(new Request(new URL(url, 'http://anywhere.example').href, init))
  const { status, headers } = response
  return { status, headers, text: await response.text() }
}

const pathOf = ({ url }: { url: string }) => new URL(url).pathname

const become = (role: 'viewer' | 'editor') => setRole(service, 'Eve', role)

const fileNamed = (name: string, text: string) =>
  makeFile(service, { name, bytes: new TextEncoder().encode(text) })

describe('a share', () => {
  test('is returned as sent, with a URL of at least 128 random bits', async () => {
    const note = await makeNote(service, { title: 'Guide' })
    const made = await share({ kind: 'note', target_id: note.id, name: 'For all' })
    expect(made).toEqual({
      id: expect.any(String),
      kind: 'note',
      target_id: note.id,
      name: 'For all',
      url: expect.stringMatching(/\/s\/[\w-]{22}$/),
      options: {},
      has_password: false,
      expires_at: null,
      created_by: { id: expect.any(String), name: 'owner' },
      created_at: expect.any(String),
      last_used_at: null,
      uses: 0,
    })
    expect((await service.get('/v1/shares')).body).toEqual({ shares: [made], total: 1, has_more: false })
    expect((await service.get(`/v1/shares/${made.id}`)).body).toEqual({ share: made })
  })

  test('shows its URL only to members with write access, and an editor sees their own', async () => {
    const note = await makeNote(service)
    const made = await share({ kind: 'note', target_id: note.id })
    const reader = service.as(await service.newKey({ scope: 'read' }))
    expect((await reader.get(`/v1/shares/${made.id}`)).body.share.url).toBeNull()
    const editor = service.as(await service.newKey({ user: 'Eve' }))
    expect((await editor.get('/v1/shares')).body.total).toBe(0)
    expect((await editor.get(`/v1/shares/${made.id}`)).status).toBe(404)
    const own = await share({ kind: 'note', target_id: note.id }, editor)
    expect((await service.get('/v1/shares')).body.total).toBe(2)
    expect((await service.delete(`/v1/shares/${own.id}`)).status).toBe(200)
  })

  const unknown = { target_id: '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60' }
  test.each([
    ['an unknown target', unknown, 404],
    [
      'an unknown target, and an option that the kind does not have',
      { ...unknown, options: { csv: true } },
      400,
    ],
    ['an unknown kind', { kind: 'file' }, 400],
    ['an option that the kind does not have', { options: { csv: true } }, 400],
    ['an unknown attribute', { secret: true }, 400],
    ['an instant without offset', { expires_at: '2026-12-01' }, 400],
  ])('is refused with %s', async (_, input, status) => {
    const note = await makeNote(service)
    const answer = await service.post('/v1/shares', { kind: 'note', target_id: note.id, ...input })
    expect(answer.status).toBe(status)
    expect((await service.get('/v1/shares')).body.total).toBe(0)
  })

  test('ends when it is deleted, rotated or expired, or its target is deleted, with the same page', async () => {
    const note = await makeNote(service, { title: 'Guide' })
    const path = async (more = {}) => pathOf(await share({ kind: 'note', target_id: note.id, ...more }))
    const nothing = await visit('/s/AAAAAAAAAAAAAAAAAAAAAA')
    expect([nothing.status, nothing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    const deleted = await share({ kind: 'note', target_id: note.id })
    await service.delete(`/v1/shares/${deleted.id}`)
    const rotated = await share({ kind: 'note', target_id: note.id })
    const anew = (await service.post(`/v1/shares/${rotated.id}/rotate`)).body.share
    expect((await visit(pathOf(anew))).status).toBe(200)
    const expired = await path({ expires_at: new Date(clock.now() + DAY_MS).toISOString() })
    expect((await visit(expired)).status).toBe(200)
    clock.advance(DAY_MS)
    for (const gone of [pathOf(deleted), pathOf(rotated), expired, `${pathOf(anew)}/nothing`, '/s/x/y/z'])
      expect([gone, (await visit(gone)).text]).toEqual([gone, nothing.text])
    await service.delete(`/v1/notes/${note.id}`)
    expect((await visit(pathOf(anew))).text).toBe(nothing.text)
    await service.post(`/v1/notes/${note.id}/restore`)
    expect((await visit(pathOf(anew))).status).toBe(200)
  })

  test('ends permanently when its author loses access', async () => {
    const note = await makeNote(service)
    const editor = service.as(await service.newKey({ user: 'Eve' }))
    const ended = pathOf(await share({ kind: 'note', target_id: note.id }, editor))
    expect((await visit(ended)).status).toBe(200)
    await become('viewer')
    await become('editor')
    expect((await visit(ended)).status).toBe(404)
    const again = pathOf(await share({ kind: 'note', target_id: note.id }, editor))
    await removeUser(service, 'Eve', 'Personal')
    expect((await visit(again)).status).toBe(404)
    expect((await service.get('/v1/shares')).body.total).toBe(0)
  })

  test('with a password requires it once a day, on its path, and again after a new password', async () => {
    const note = await makeNote(service, { title: 'Secret', content: 'inner' })
    const made = await share({ kind: 'note', target_id: note.id, password: 'open sesame' })
    expect(made.has_password).toBe(true)
    const path = pathOf(made)
    const asked = await visit(path)
    expect([asked.status, asked.text.includes('inner'), asked.text.includes('type="password"')]).toEqual([
      401,
      false,
      true,
    ])
    const send = (password: string) =>
      visit(path, { method: 'POST', body: new URLSearchParams({ password }) })
    expect((await send('wrong')).status).toBe(401)
    const opened = await send('open sesame')
    const [cookie = ''] = opened.headers.getSetCookie()
    expect([opened.status, opened.headers.get('location')]).toEqual([303, path])
    const paths = [path, `${path}.csv`]
    const cookies = opened.headers.getSetCookie()
    const attributes = (one: string) => `Path=${one}; HttpOnly; SameSite=Lax; Max-Age=86400`
    expect(cookies.map((one) => one.slice(one.indexOf('Path=')))).toEqual(paths.map(attributes))
    const withCookie = () => visit(path, { headers: { cookie: cookie.split(';')[0] ?? '' } })
    expect((await withCookie()).text).toContain('inner')
    await service.patch(`/v1/shares/${made.id}`, { password: 'another one' })
    expect((await withCookie()).status).toBe(401)
    clock.advance(DAY_MS)
    for (let at = 0; at < 5; at++) await send('guess')
    const limited = await send('another one')
    expect([limited.status, limited.headers.has('retry-after')]).toEqual([429, true])
  })

  test('counts the pages that it showed', async () => {
    const note = await makeNote(service)
    const made = await share({ kind: 'note', target_id: note.id })
    for (let at = 0; at < 3; at++) await visit(pathOf(made))
    clock.advance(3_000)
    await settle()
    const { share: used } = (await service.get(`/v1/shares/${made.id}`)).body
    expect([used.uses, used.last_used_at]).toEqual([3, new Date(clock.now() - 2_000).toISOString()])
  })

  test('is in the log without its token', async () => {
    const note = await makeNote(service)
    const made = await share({ kind: 'note', target_id: note.id })
    await service.post(`/v1/shares/${made.id}/rotate`)
    const { text } = await rawOf('/v1/changes?before=now&limit=20')
    expect(text).toContain('"kind":"share"')
    expect(text).not.toContain(pathOf(made).slice(3))
  })
})

const rawOf = async (path: string) => {
  const { body } = await service.get(path)
  return { text: JSON.stringify(body) }
}

describe('a shared note', () => {
  test('is a page without script or other requests, and is never cached', async () => {
    const note = await makeNote(service, {
      title: 'A <b>title</b>',
      content: '# Head\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) [y](https://e.org)',
    })
    const { status, headers, text } = await visit(pathOf(await share({ kind: 'note', target_id: note.id })))
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toStartWith("default-src 'none'; style-src 'sha256-")
    expect([
      headers.get('referrer-policy'),
      headers.get('x-robots-tag'),
      headers.get('cache-control'),
    ]).toEqual(['no-referrer', 'noindex', 'no-store'])
    expect(text).not.toMatch(/<script|javascript:|<b>title/)
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(text).toContain('href="https://e.org/"')
    expect(text.length - note.content.length).toBeLessThan(20_000)
  })

  test('has headings that are underlined, bars in links, marked text and formulas', async () => {
    const content =
      'Up\n==\n\nDown\n--\ntext\n\n| a | b |\n| - | - |\n| [[One|two]] | x |\n\n[[A|b|c]] [r]\n\n==<i>x *y*== $$a_1 < 2$$\n\n[r]: https://e.org/[[a|b]]'
    const note = await makeNote(service, { title: 'N', content })
    const { text } = await visit(pathOf(await share({ kind: 'note', target_id: note.id })))
    expect(text).toContain('<h2 dir="auto">Up</h2><h3 dir="auto">Down</h3><p dir="auto">text</p>')
    expect(text).toMatch(/<td class="left">two<\/td><td class="left">x<\/td>/)
    expect(text).toContain('b|c')
    expect(text).toContain('href="https://e.org/[[a|b]]"')
    expect(text).toContain('<mark>&lt;i&gt;x <em>y</em></mark> <code class="math">a_1 &lt; 2</code>')
  })

  test('has the callouts, lists, pictures and line breaks of the preview', async () => {
    const id = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'
    const content = [
      '> [!warning] Mind *this*\n> one\n> two',
      `- [x] done\n  ![[file:${id}|a.png]]\n- ![b](/v1/files/${id}/content)`,
      '> ### Third\n\n## Second\n\n###### Sixth',
    ].join('\n\n')
    const note = await makeNote(service, { title: 'N', content })
    const path = pathOf(await share({ kind: 'note', target_id: note.id }))
    const { text } = await visit(path)
    const picture = (alt: string) => `<img src="${path}/files/${id}" alt="${alt}" loading="lazy">`
    for (const part of [
      '<blockquote class="md-callout md-warning"><p class="md-callout-name" dir="auto">Mind <em>this</em></p><p dir="auto">one<br>two</p></blockquote>',
      `<li class="task" dir="auto"><span class="check" role="img" aria-label="done:">☑</span>done<br>${picture('a.png')}</li>`,
      `<li dir="auto">${picture('b')}</li>`,
      '<blockquote><h3 dir="auto">Third</h3></blockquote><h2 dir="auto">Second</h2><h5 dir="auto">Sixth</h5>',
    ])
      expect(text).toContain(part)
  })

  test('names no other note, and serves exactly the files that it names now', async () => {
    const other = await makeNote(service, { title: 'Hidden title' })
    const picture = await fileNamed('a.png', 'picture')
    const paper = await fileNamed('b.txt', 'paper')
    const foreign = await fileNamed('c.txt', 'foreign')
    const content = `[[${other.id}]] [[Hidden title|said]]\n\n![[file:${picture}|a.png]]\n\n[[file:${paper}|b.txt]]\n\n- [x] done`
    const note = await makeNote(service, { title: 'N', content })
    const path = pathOf(await share({ kind: 'note', target_id: note.id }))
    const { text } = await visit(path)
    expect(text).not.toMatch(/Hidden title|href="\/app/)
    expect(text).toContain('a note')
    expect(text).toContain(`<img src="${path}/files/${picture}"`)
    expect(text).toContain('☑')
    const files = await Promise.all([picture, paper, foreign].map((id) => visit(`${path}/files/${id}`)))
    expect(files.map(({ status }) => status)).toEqual([200, 200, 404])
    expect([files[1]?.text, files[1]?.headers.get('content-disposition')]).toEqual([
      'paper',
      expect.stringContaining('attachment'),
    ])
    await service.patch(`/v1/notes/${note.id}`, { content: 'nothing' })
    expect((await visit(`${path}/files/${paper}`)).status).toBe(404)
  })
})

test('a shared view lists its notes and shows each that is in it now, with its files', async () => {
  const file = await fileNamed('a.txt', 'inside')
  const inside = await makeNote(service, {
    title: 'Inside',
    content: `[[file:${file}|a.txt]]`,
    tags: ['open'],
  })
  const outside = await makeNote(service, { title: 'Outside', content: `[[file:${file}|a.txt]]` })
  const tags = (await service.get('/v1/tags')).body.tags
  const filter = { type: 'tags', op: 'has_any', tag_ids: [tags[0].id] }
  const view = await service.post('/v1/views', { name: 'Open', filter })
  expect([view.status, view.body.error]).toEqual([201, undefined])
  const path = pathOf(await share({ kind: 'view', target_id: view.body.view.id }))
  const { text } = await visit(path)
  expect([text.includes('Inside'), text.includes('Outside')]).toEqual([true, false])
  expect((await visit(`${path}/${inside.id}`)).text).toContain(`${path}/files/${file}?note=${inside.id}`)
  expect((await visit(`${path}/${outside.id}`)).status).toBe(404)
  expect((await visit(`${path}/files/${file}?note=${inside.id}`)).text).toBe('inside')
  expect((await visit(`${path}/files/${file}?note=${outside.id}`)).status).toBe(404)
  expect((await visit(`${path}/files/${file}`)).text).toBe('inside')
  await service.delete(`/v1/notes/${inside.id}`)
  expect((await visit(`${path}/files/${file}`)).status).toBe(404)
})

describe('shared rows', () => {
  const rowView = async (input: Record<string, unknown>) => {
    const { status, body } = await service.post('/v1/records/views', {
      structure: 'Jobs',
      name: 'V',
      ...input,
    })
    expect([status, body.error]).toEqual([201, undefined])
    return body.row_view.id
  }
  beforeEach(async () => {
    await declare(service, 'Jobs', [
      { key: 'title', type: 'text' },
      { key: 'secret', type: 'text' },
      { key: 'state', type: 'select', options: ['open', 'done'] },
      { key: 'due', type: 'date' },
      { key: 'until', type: 'date' },
    ])
    await write(
      service,
      'Jobs',
      { title: '=SUM(A1)', secret: 'classified', state: 'open', due: '2026-11-30', until: '2026-12-02' },
      { title: 'Paint, "blue"', secret: 'classified', state: 'done', due: '2026-11-05' },
    )
  })
  const columns = [{ key: 'title' }, { key: 'state' }]

  test('a table shows its visible columns alone, sorted by them and paged', async () => {
    const path = pathOf(
      await share({ kind: 'row_view', target_id: await rowView({ columns }), options: { csv: true } }),
    )
    const { text } = await visit(`${path}?sort=title&direction=desc`)
    expect(text).not.toContain('classified')
    expect(text.indexOf('Paint')).toBeLessThan(text.indexOf('=SUM'))
    expect((await visit(`${path}?sort=secret`)).status).toBe(400)
    const csv = await visit(`${path}.csv`)
    expect(csv.headers.get('content-type')).toStartWith('text/csv')
    expect(csv.text.split('\r\n').sort()).toEqual([
      '',
      '"Paint, ""blue""",done',
      "'=SUM(A1),open",
      'title,state',
    ])
    expect((await visit(`${path}.ics`)).status).toBe(404)
  })

  test('a view that becomes personal is no longer shown', async () => {
    const view = await rowView({ columns })
    const path = pathOf(await share({ kind: 'row_view', target_id: view, options: { csv: true } }))
    await service.patch(`/v1/records/views/${view}`, { personal: true })
    for (const address of [path, `${path}.csv`]) expect((await visit(address)).status).toBe(404)
  })

  test('a csv keeps texts from being formulas and their signs from being other delimiters, as exports do', async () => {
    const texts = [
      '\t=1+1',
      '\r=1+1',
      'a;=1+1',
      'a\t=1',
      'a|=1',
      "'=1",
      '-5',
      '+1.5e3',
      '-2+3',
      '@x',
      '',
      ' a',
    ]
    await write(service, 'Jobs', ...texts.map((title) => ({ title, secret: 'x' })))
    const path = pathOf(
      await share({
        kind: 'row_view',
        target_id: await rowView({ columns: [{ key: 'title' }] }),
        options: { csv: true },
      }),
    )
    const { text } = await visit(`${path}.csv`)
    for (const cell of [
      '"\'\t=1+1"',
      '"\'\r=1+1"',
      '"a;=1+1"',
      '"a\t=1"',
      '"a|=1"',
      "''=1",
      '-5',
      '+1.5e3',
      "'-2+3",
      "'@x",
      '" a"',
    ])
      expect(text).toContain(`\r\n${cell}\r\n`)
  })

  test('a file is named after its share, also if that is no valid file name', async () => {
    const target_id = await rowView({ kind: 'calendar', date_field: 'due', columns })
    for (const [name, plain, exact] of [
      ['Jobs of "Ida"', 'Jobs of _Ida_', 'Jobs%20of%20_Ida_'],
      ['Auftr\u00e4ge \u65e5\u672c', 'Auftr_ge __', 'Auftr%C3%A4ge%20%E6%97%A5%E6%9C%AC'],
      ['../etc/passwd', '.._etc_passwd', '.._etc_passwd'],
      ['<!-- hidden -->', 'rows', 'rows'],
    ]) {
      const path = pathOf(await share({ kind: 'row_view', target_id, name, options: { csv: true } }))
      for (const type of ['csv', 'ics'])
        expect((await visit(`${path}.${type}`)).headers.get('content-disposition')).toBe(
          `attachment; filename="${plain}.${type}"; filename*=UTF-8''${exact}.${type}`,
        )
    }
  })

  test('a csv that is being read breaks off when its share ends', async () => {
    for (let at = 0; at < 6; at++)
      await write(service, 'Jobs', ...Array.from({ length: 400 }, () => ({ title: 'One of many' })))
    const made = await share({ kind: 'row_view', target_id: await rowView({}), options: { csv: true } })
    const { body } = await service.app.fetch(new Request(`http://localhost${pathOf(made)}.csv`))
    const reader = body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    await service.delete(`/v1/shares/${made.id}`)
    const rest = async () => {
      while (!(await reader?.read())?.done);
    }
    await expect(rest()).rejects.toThrow()
  })

  test('shows the values of formulas and roll-ups like others, also in its files', async () => {
    const fields = [
      ...[field('title', 'text'), field('due', 'date'), field('parent', 'record', { structure: 'Tasks' })],
      ...[field('amount', 'number'), field('day', 'formula', { expression: 'ADDDAYS({due}, 1)' })],
      field('late', 'formula', { expression: '{amount} > 1' }),
    ]
    await declare(service, 'Tasks', fields)
    const via = { structure: 'Tasks', field: 'parent' }
    const sum = field('parts', 'rollup', { via, function: 'sum', field: 'amount' })
    await service.patch('/v1/records/structures/Tasks', { fields: [...fields, sum] })
    const [parent] = await write(service, 'Tasks', { title: 'All', due: '2026-11-09', amount: 0 })
    await write(service, 'Tasks', { parent: parent.id, amount: 2 }, { parent: parent.id, amount: 5 })
    const columns = ['title', 'day', 'late', 'parts'].map((key) => ({ key }))
    const shared = async (input: object) =>
      pathOf(
        await share({
          kind: 'row_view',
          target_id: await rowView({ structure: 'Tasks', columns, ...input }),
          options: { csv: true },
        }),
      )
    const table = await shared({})
    const { text } = await visit(table)
    expect([text.includes('sort=day'), text.includes('sort=parts')]).toEqual([true, false])
    expect(text).toContain('<td dir="auto">no</td>')
    expect((await visit(`${table}.csv`)).text).toContain('All,2026-11-10,false,7')
    const calendar = await shared({ name: 'Days', kind: 'calendar', date_field: 'day' })
    expect((await visit(`${calendar}?month=2026-11`)).text).toContain('All')
    expect((await visit(`${calendar}.ics`)).text).toContain('DTSTART;VALUE=DATE:20261110')
  })

  test('has no csv unless it is offered', async () => {
    const path = pathOf(await share({ kind: 'row_view', target_id: await rowView({ columns }) }))
    expect((await visit(`${path}.csv`)).status).toBe(404)
  })

  test('a board has a column for each option, with the cards that the view shows', async () => {
    const target_id = await rowView({ kind: 'board', group_by: 'state', columns })
    const { text } = await visit(pathOf(await share({ kind: 'row_view', target_id })))
    expect(text).toMatch(
      /open <span class="dim">1<\/span>[\s\S]*=SUM[\s\S]*done <span class="dim">1<\/span>[\s\S]*Paint/,
    )
    expect(text).not.toContain('classified')
  })

  test('a calendar is read by month and as iCalendar, its last day included', async () => {
    const target_id = await rowView({ kind: 'calendar', date_field: 'due', end_field: 'until', columns })
    const made = await share({ kind: 'row_view', target_id })
    const november = (await visit(`${pathOf(made)}?month=2026-11`)).text
    expect([november.includes('November 2026'), november.includes('Paint')]).toEqual([true, true])
    expect((await visit(`${pathOf(made)}?month=2027-02`)).text).not.toContain('Paint')
    const ics = await visit(`${pathOf(made)}.ics`)
    expect(ics.headers.get('content-type')).toStartWith('text/calendar')
    expect(ics.text).toContain(
      'DTSTART;VALUE=DATE:20261130\r\nDTEND;VALUE=DATE:20261203\r\nSUMMARY:=SUM(A1)\r\n',
    )
    expect(ics.text).toContain(
      'DTSTART;VALUE=DATE:20261105\r\nDTEND;VALUE=DATE:20261106\r\nSUMMARY:Paint\\, "blue"\r\n',
    )
    const { id } = (await service.get('/v1/records?structure=Jobs&limit=1')).body.records[0]
    for (const [data, times] of [
      [
        { due: '2026-11-05', until: '9999-12-31' },
        'DTSTART;VALUE=DATE:20261105\r\nDTEND;VALUE=DATE:99991231',
      ],
      [{ due: '9999-12-31', until: '9999-12-31' }, 'DTSTART;VALUE=DATE:99991231'],
    ] as const) {
      await service.patch(`/v1/records/${id}`, { data })
      expect((await visit(`${pathOf(made)}.ics`)).text).toContain(`${times}\r\nSUMMARY:`)
    }
    await service.patch(`/v1/shares/${made.id}`, { password: 'x' })
    expect((await visit(`${pathOf(made)}.ics`)).status).toBe(404)
  })
})
