import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { declare, write } from '../support/records.ts'
import { startService, type TestClock, type TestService, testClock } from '../support/service.ts'
import { startHooked, subscribe, until } from '../support/webhooks.ts'

const DAY_MS = 86_400_000

let clock: TestClock
let service: TestService
let structure: string

beforeEach(async () => {
  clock = testClock()
  service = await startService({ clock })
  await declare(service, 'Classes', [
    { key: 'name', type: 'text', required: true, max: 100 },
    { key: 'mail', type: 'text', unique: true },
    { key: 'people', type: 'number', min: 1, max: 8 },
    { key: 'kind', type: 'select', options: ['throwing', 'glaze'] },
    { key: 'first', type: 'date' },
    { key: 'at', type: 'datetime' },
    { key: 'vegan', type: 'bool' },
    { key: 'picture', type: 'file' },
    { key: 'internal', type: 'text', hidden: true },
    { key: 'about', type: 'note' },
  ])
  structure = (await service.get('/v1/records/structures/Classes')).body.structure.id
})
afterEach(() => service.close())

async function form(options: Record<string, unknown> = {}) {
  const { status, body } = await service.post('/v1/shares', { kind: 'form', target_id: structure, options })
  expect([status, body.error]).toEqual([201, undefined])
  return { path: new URL(body.share.url).pathname, id: body.share.id }
}

async function visit(url: string, init: RequestInit = {}, address = '203.0.113.7') {
  const request = new Request(new URL(url, 'http://anywhere.example').href, init)
  const from = { requestIP: () => ({ address }), timeout: () => {} }
  const response = await service.app.fetch(request, from)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}

const send = (
  path: string,
  fields: Record<string, string | File>,
  more: RequestInit = {},
  address?: string,
) => {
  const hasFile = Object.values(fields).some((value) => typeof value !== 'string')
  const body = hasFile ? new FormData() : new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) (body as FormData).append(name, value)
  return visit(path, { method: 'POST', body, ...more }, address)
}

const sendJson = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  visit(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

const rows = async () => (await service.get('/v1/records?structure=Classes')).body.records
const tokenIn = (text: string) => /name="_token" value="([^"]+)"/.exec(text)?.[1] ?? ''

describe('the page of a form', () => {
  test('has an input of the platform for each field', async () => {
    const { path } = await form({ title: 'Book', text: 'Bring clay.' })
    const { status, text, headers } = await visit(path)
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toContain("form-action 'self'; frame-ancestors 'none'")
    const inputs = [...text.matchAll(/<(?:input|select|textarea)[^>]*name="([a-z]\w*)"/g)].map(
      ([, name]) => name,
    )
    expect(inputs).toEqual(['name', 'mail', 'people', 'kind', 'first', 'at', 'vegan', 'picture'])
    for (const type of ['number', 'date', 'datetime-local', 'checkbox', 'file'])
      expect(text).toContain(`type="${type}"`)
    expect(text).toMatch(/enctype="multipart\/form-data"[\s\S]*id="f-name" name="name" required/)
    expect(text).not.toContain('<script')
  })

  test('has the named fields alone, prefills them from the address if allowed, and never shows hidden values', async () => {
    const options = {
      fields: [{ key: 'name', label: 'You', help: 'As on the card.' }],
      hidden: { internal: 'campaign' },
    }
    const filled = await visit(
      `${(await form({ ...options, prefill: true })).path}?name=%3Cb%3EAda&internal=x`,
    )
    expect(filled.text).toContain('&lt;b&gt;Ada')
    expect(filled.text).toMatch(/You[\s\S]*As on the card\./)
    expect(filled.text).not.toMatch(/campaign|internal|name="mail"/)
    const empty = await visit(`${(await form(options)).path}?name=Ada`)
    expect(empty.text).not.toContain('Ada')
  })

  test('shows a share of a form at its own address alone', async () => {
    const { path } = await form()
    expect((await visit(path.replace('/f/', '/s/'))).status).toBe(404)
    expect((await visit('/f/AAAAAAAAAAAAAAAAAAAAAA')).status).toBe(404)
  })
})

describe('a post', () => {
  test('writes a row with its file, marked as from the form, and redirects to the confirmation', async () => {
    const { path } = await form({
      hidden: { internal: 'campaign' },
      tz: 'Europe/Berlin',
      done_text: 'See you.',
    })
    const picture = new File(['pixels'], 'vase.png')
    const typed = {
      name: 'Noor',
      people: '2',
      kind: 'glaze',
      first: '2027-01-11',
      at: '2027-07-01T18:30',
      vegan: 'true',
      picture,
    }
    const sent = await send(path, { ...typed, mail: '' })
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `${path}/done`])
    expect((await visit(`${path}/done`)).text).toContain('See you.')
    const [row] = await rows()
    expect(row.data).toEqual({
      name: 'Noor',
      people: 2,
      kind: 'glaze',
      first: '2027-01-11',
      at: '2027-07-01T16:30:00.000Z',
      vegan: true,
      picture: expect.any(String),
      internal: 'campaign',
    })
    const content = await service.get(`/v1/files/${row.data.picture}/content`)
    expect([content.status, content.body]).toEqual([200, 'pixels'])
    const [version] = (await service.get(`/v1/records/${row.id}/history`)).body.versions
    expect(version.actor).toMatchObject({ surface: 'form', user_id: null, key_id: null, name: 'form' })
  })

  test('shows a refused response again, with its values and an error at each field, and writes nothing', async () => {
    const { path } = await form()
    const sent = await send(path, { name: '', people: '9', mail: 'a"b', picture: new File(['x'], 'x.png') })
    expect(sent.status).toBe(400)
    expect(sent.text).toContain('value="a&quot;b"')
    expect(sent.text).toMatch(/id="e-name">[^<]*required/)
    expect(sent.text).toMatch(/id="e-people">[^<]*at most 8/)
    expect(sent.text).toContain('aria-describedby="e-people"')
    const words = await send(path, { name: 'N', people: 'two', first: 'Monday' })
    expect(words.text).toMatch(/type="text" id="f-people"[^>]* value="two"/)
    expect(words.text).toMatch(/type="text" id="f-first"[^>]* value="Monday"/)
    for (const at of ['2027-02-29T10:00', '2027-03-01T24:00'])
      expect((await send(path, { name: 'N', at })).text).toMatch(/id="e-at">[^<]*such as/)
    const { counts } = (await service.get('/v1/workspace')).body.workspace
    expect([counts.records, counts.files]).toEqual([0, 0])
  })

  test('without a selected file writes none', async () => {
    const { path } = await form()
    const part = (name: string, more: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
    const empty = part('picture', '; filename=""\r\nContent-Type: application/octet-stream', '')
    const body = `${part('name', '', 'N')}${empty}--b--\r\n`
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    expect((await visit(path, { method: 'POST', body, headers })).status).toBe(303)
    expect((await rows())[0].data).toEqual({ name: 'N', vegan: false })
    const torn = await visit(path, { method: 'POST', body: body.slice(0, 40), headers })
    expect(torn.status).toBe(400)
  })

  test('refuses a taken unique value at its field, and names no other row', async () => {
    await write(service, 'Classes', { name: 'First', mail: 'a@b.c' })
    const [{ id }] = await rows()
    const { path } = await form()
    const sent = await send(path, { name: 'N', mail: 'a@b.c' })
    expect([sent.status, /id="e-mail">/.test(sent.text), sent.text.includes(id)]).toEqual([400, true, false])
    const json = await sendJson(path, { data: { name: 'N', mail: 'a@b.c' } })
    expect(JSON.parse(json.text)).toEqual({
      error: expect.any(String),
      code: 'unique_violation',
      field: 'mail',
    })
  })

  test.each([
    ['a field that it does not have', { name: 'N', internal: 'x' }],
    ['an id in a file field', { name: 'N', picture: '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60' }],
    ['a NUL', { name: 'N\0' }],
    ['an option that is none', { name: 'N', kind: 'other' }],
    ['a day that is none', { name: 'N', first: '2027-02-30' }],
  ])('with %s is refused and writes nothing', async (_, fields) => {
    const { path } = await form()
    expect((await send(path, fields)).status).toBe(400)
    expect((await sendJson(path, { data: fields })).status).toBe(400)
    expect(await rows()).toEqual([])
  })

  test('hides details of failures in fields that visitors do not see', async () => {
    const about = (await service.post('/v1/notes', { title: 'Hidden' })).body.note.id
    const { path } = await form({ hidden: { about } })
    await service.delete(`/v1/notes/${about}`)
    const page = await send(path, { name: 'N' })
    const json = await sendJson(path, { data: { name: 'N' } })
    for (const { status, text } of [page, json]) {
      expect(status).toBe(400)
      expect(text).not.toMatch(new RegExp(`about|${about}`))
    }
  })

  test('may have and omit a field named like a built-in object member', async () => {
    await declare(service, 'Odd', [
      { key: 'constructor', type: 'text' },
      { key: 'a', type: 'text' },
    ])
    const { body } = await service.post('/v1/shares', { kind: 'form', target_id: 'Odd' })
    const written = await sendJson(new URL(body.share.url).pathname, { data: { a: 'x' } })
    expect(written.status).toBe(201)
  })

  test.each([
    ['many parts', 'a&'.repeat(1_000)],
    ['more text than a form has', `name=${"'".repeat(2_000_000)}`],
  ])('of %s is refused before it is taken apart', async (_, body) => {
    const { path } = await form()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = await visit(path, { method: 'POST', body, headers })
    expect([sent.status >= 400 && sent.status < 500, sent.text.length < 20_000]).toEqual([true, true])
  })

  const part = '--a\r\nContent-Disposition: form-data; name="name"\r\n\r\nN\r\n'
  test.each([
    ['application/x-www-form-urlencoded; boundary=z', 'name=N&'.repeat(1_000)],
    ['multipart/form-data; q="; boundary=z"; boundary=a', `${part.repeat(1_000)}--a--\r\n`],
    ['multipart/form-data; boundary=a', `${part.repeat(1_000)}--a--\r\n`],
  ])('as %s is not taken apart when it has many parts', async (type, body) => {
    const { path } = await form()
    const sent = await visit(path, { method: 'POST', body, headers: { 'content-type': type } })
    expect([sent.status, /not well-formed|more than 300 parts/.test(sent.text)]).toEqual([400, true])
  })

  test('refuses a file of more than 10 MiB at its field', async () => {
    const { path } = await form()
    const picture = new File([new Uint8Array(10 * 1024 * 1024 + 1)], 'large.png')
    const sent = await send(path, { name: 'N', picture })
    expect([sent.status, /id="e-picture">[^<]*10 MiB/.test(sent.text)]).toEqual([400, true])
  })

  test('writes one row when sent twice from one page, or with one Idempotency-Key', async () => {
    const { path } = await form()
    const _token = tokenIn((await visit(path)).text)
    for (let at = 0; at < 2; at++) expect((await send(path, { name: 'Once', _token })).status).toBe(303)
    const key = { 'idempotency-key': 'k' }
    for (let at = 0; at < 2; at++) {
      const { status, text, headers } = await sendJson(path, { data: { name: 'Twice' } }, key)
      const replayed = headers.get('idempotent-replayed')
      expect([status, text, replayed]).toEqual([201, '{"written":1}', at === 0 ? null : 'true'])
    }
    expect((await rows()).map(({ data }: { data: { name: string } }) => data.name).sort()).toEqual([
      'Once',
      'Twice',
    ])
    const other = await send(path, { name: 'Other', _token })
    expect([other.status, other.text.includes('already submitted'), other.text.includes('Other')]).toEqual([
      400,
      true,
      true,
    ])
    clock.advance(DAY_MS)
    expect((await send(path, { name: 'Once', _token })).status).toBe(303)
    expect((await rows()).length).toBe(3)
  })

  test('refuses and names a repeated field, also for two files', async () => {
    const { path } = await form()
    const texts = new URLSearchParams([
      ['name', 'N'],
      ['kind', 'glaze'],
      ['kind', 'throwing'],
    ])
    const files = new FormData()
    files.append('name', 'N')
    for (const text of ['a', 'b']) files.append('picture', new File([text], `${text}.txt`))
    for (const [body, field] of [
      [texts, 'kind'],
      [files, 'picture'],
    ] as const) {
      const { status, text } = await visit(path, { method: 'POST', body })
      expect(status).toBe(400)
      expect(text).toContain(`The field &quot;${field}&quot; is sent twice`)
    }
    expect((await service.get('/v1/records?structure=Classes')).body.total).toBe(0)
  })

  test('beyond the daily bytes of a workspace gets 503 and writes nothing, until the next day', async () => {
    const other = service
    service = await startService({ clock, config: { formBytesPerDay: 3_000 } })
    other.close()
    await declare(service, 'Classes', [
      { key: 'name', type: 'text' },
      { key: 'picture', type: 'file' },
    ])
    structure = (await service.get('/v1/records/structures/Classes')).body.structure.id
    const { path } = await form()
    const { path: second } = await form({ title: 'Another' })
    const picture = () => new File(['x'.repeat(2_000)], 'a.txt')
    expect((await send(path, { name: 'A', picture: picture() })).status).toBe(303)
    const full = await send(second, { name: 'B', picture: picture() }, {}, '198.51.100.1')
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '86400'])
    expect(full.text).toContain('nothing was kept')
    expect((await sendJson(second, { data: { name: 'y'.repeat(2_000) } })).status).toBe(503)
    const { body: metrics } = await service.as(await service.newKey({ role: 'owner' })).get('/metrics')
    expect(metrics).toMatch(/^daybook_form_bytes 2\d\d\d$/m)
    expect((await service.get('/v1/records?structure=Classes')).body.total).toBe(1)
    expect((await service.get('/v1/files')).body.files).toHaveLength(1)
    clock.advance(DAY_MS)
    expect((await send(second, { name: 'B', picture: picture() })).status).toBe(303)
  })

  test('from a script of any site gets JSON with CORS, also for refusals and deleted forms', async () => {
    const { path, id } = await form()
    const shownTo = ({ headers }: { headers: Headers }) =>
      ['access-control-allow-origin', 'cross-origin-resource-policy'].map((name) => headers.get(name))
    const everybody = ['*', 'cross-origin']
    const written = await sendJson(path, { data: { name: 'N', people: 3 } })
    expect([written.status, written.text, shownTo(written)]).toEqual([201, '{"written":1}', everybody])
    const refused = await sendJson(path, { data: { people: 'many' } })
    expect([refused.status, shownTo(refused)]).toEqual([400, everybody])
    expect(JSON.parse(refused.text)).toEqual({ error: expect.any(String), code: 'refused', field: 'name' })
    const asked = await visit(path, { method: 'OPTIONS', headers: { origin: 'https://site.example' } })
    expect([asked.status, asked.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'Content-Type, Idempotency-Key',
    ])
    await service.delete(`/v1/shares/${id}`)
    const gone = await sendJson(path, { data: { name: 'N' } })
    expect([gone.status, JSON.parse(gone.text).code, shownTo(gone)]).toEqual([404, 'not_found', everybody])
  })

  test('with very many members of JSON is refused before it is parsed', async () => {
    const { path } = await form()
    const { status, text } = await sendJson(path, {
      data: Object.fromEntries(Array(20_001).fill(1).entries()),
    })
    expect([status, JSON.parse(text).error]).toEqual([
      400,
      'The body holds more than 100,000 values, or 20,000 members of objects; split the request.',
    ])
  })

  test('by a robot that fills in a hidden field gets 429, with its values', async () => {
    const { path } = await form()
    const { status, text } = await send(path, { name: 'Robot', _address: 'x' })
    expect([status, text.includes('value="Robot"')]).toEqual([429, true])
    expect(await rows()).toEqual([])
  })

  test('counts once written to the limit of its address, an IPv6 address as its network', async () => {
    const { path } = await form({ per_address_per_day: 2 })
    const from = (address: string, name = 'N') => send(path, { name }, {}, address)
    await from('2001:db8::1', '')
    expect([(await from('2001:db8::1')).status, (await from('2001:db8::2')).status]).toEqual([303, 303])
    const limited = await from('2001:db8::3')
    expect([limited.status, limited.headers.has('retry-after')]).toEqual([429, true])
    expect((await from('2001:db8:0:1::1')).status).toBe(303)
    clock.advance(DAY_MS)
    expect((await from('2001:db8::3')).status).toBe(303)
  })

  test('is refused by a full or closed form, whose page explains it', async () => {
    const closesAt = new Date(clock.now() + DAY_MS).toISOString()
    const full = await form({ max_rows: 1 })
    const closing = await form({ closes_at: closesAt })
    await send(full.path, { name: 'N' })
    clock.advance(DAY_MS)
    for (const [{ path }, word] of [
      [full, 'full'],
      [closing, 'closed'],
    ] as const) {
      const page = await visit(path)
      expect([page.status, page.text.includes(word), page.text.includes('<form')]).toEqual([200, true, false])
      expect((await send(path, { name: 'M' })).status).toBe(400)
      expect(JSON.parse((await sendJson(path, { data: { name: 'M' } })).text).code).toBe('refused')
    }
    expect((await rows()).length).toBe(1)
  })
})

describe('a form is refused', () => {
  test.each([
    ['with a field that there is not', { fields: [{ key: 'none' }] }],
    ['with a note', { fields: [{ key: 'name' }, { key: 'about' }] }],
    ['with a field twice', { fields: [{ key: 'name' }, { key: 'name' }] }],
    ['with a field that is hidden as well', { fields: [{ key: 'name' }], hidden: { name: 'x' } }],
    ['with a hidden value that does not fit', { hidden: { people: 'many' } }],
    ['without what every row needs', { fields: [{ key: 'mail' }] }],
    ['with an unknown option', { colour: 'red' }],
    ['with an unknown time zone', { tz: 'Mars/Base' }],
  ])('%s', async (_, options) => {
    const { status } = await service.post('/v1/shares', { kind: 'form', target_id: structure, options })
    expect(status).toBe(400)
  })

  test('with a password, and of a structure with one row', async () => {
    const input = { kind: 'form', target_id: structure }
    expect((await service.post('/v1/shares', { ...input, password: 'x' })).status).toBe(400)
    await declare(service, 'One', [{ key: 'a', type: 'text' }], { max_rows: 1 })
    expect((await service.post('/v1/shares', { ...input, target_id: 'One' })).body.code).toBe('refused')
  })
})

test('rows of a form send webhooks with the form as author', async () => {
  const hooked = await startHooked()
  await declare(hooked, 'Leads', [{ key: 'name', type: 'text' }])
  await subscribe(hooked, 'Leads', hooked.url, { events: ['record.created'] })
  const { body } = await hooked.post('/v1/shares', { kind: 'form', target_id: 'Leads' })
  const answer = await hooked.app.fetch(
    new Request(body.share.url, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) }),
  )
  expect(answer.status).toBe(303)
  await until(() => hooked.arrived().length === 1)
  expect(hooked.arrived()[0]).toMatchObject({ type: 'record.created', record: { data: { name: 'Ada' } } })
  await hooked.end()
})
