import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { declare, field, list, write } from '../support/records.ts'
import { settle, startService, type TestService } from '../support/service.ts'
import { watch } from '../support/watch.ts'

let service: TestService
// biome-ignore lint/suspicious/noExplicitAny: answered by the service
let made: Record<'country' | 'customer' | 'order' | 'note', any>
let structures: Record<'Countries' | 'Customers' | 'Orders', string>

beforeEach(async () => {
  service = await startService()
  const countries = await declare(service, 'Countries', [field('name', 'text')], { label_field: 'name' })
  const customers = await declare(
    service,
    'Customers',
    [field('name', 'text'), field('country', 'record', { structure: 'Countries' })],
    { label_field: 'name' },
  )
  const orders = await declare(service, 'Orders', [
    field('customer', 'record', { structure: 'Customers' }),
    field('about', 'record'),
    field('note', 'note'),
    field('amount', 'number'),
  ])
  structures = { Countries: countries.id, Customers: customers.id, Orders: orders.id }
  const { body } = await service.post('/v1/notes', { title: 'Terms', content: 'Net 30' })
  const [country] = await write(service, 'Countries', { name: 'Chile' })
  const [customer] = await write(service, 'Customers', { name: 'Ada', country: country.id })
  const [order] = await write(service, 'Orders', {
    ...{ customer: customer.id, note: body.note.id, about: country.id, amount: 5 },
  })
  made = { country, customer, order, note: body.note }
})
afterEach(() => service.close())

const shown = (): Record<string, object> => ({
  [made.customer.id]: {
    ...{ kind: 'record', label: 'Ada', structure_id: structures.Customers, data: made.customer.data },
  },
  [made.country.id]: {
    ...{ kind: 'record', label: 'Chile', structure_id: structures.Countries, data: { name: 'Chile' } },
  },
  [made.note.id]: { kind: 'note', label: 'Terms' },
})

const only = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, shown()[id]]))

describe('expand', () => {
  test('adds each object that the paths reach once, beside the records', async () => {
    await write(service, 'Orders', { customer: made.customer.id })
    const { body } = await list(service, 'Orders', { expand: 'customer.country,note,customer' })
    expect(Object.keys(body)).toEqual(['records', 'total', 'has_more', 'expanded'])
    expect(body.expanded).toEqual(shown())
    expect((await list(service, 'Orders', { expand: 'customer' })).body.expanded).toEqual(
      only(made.customer.id),
    )
    const single = await service.get(`/v1/records/${made.order.id}?expand=about,note`)
    expect(single.body).toEqual({
      record: made.order,
      structure_id: structures.Orders,
      expanded: only(made.country.id, made.note.id),
    })
  })

  test('leaves out what is deleted', async () => {
    await service.delete(`/v1/records/${made.customer.id}`)
    await service.delete(`/v1/notes/${made.note.id}`)
    const { body } = await list(service, 'Orders', { expand: 'customer.country,note' })
    expect(body.expanded).toEqual({})
  })

  test('leaves out what the caller cannot read, and hides the fields of a hidden structure', async () => {
    const narrow = (access: object) =>
      service.newKey({ scope: 'read', access }).then((key) => service.as(key))
    const hidden = await narrow({ notes: 'none', structures: { [structures.Customers]: 'none' } })
    for (const expand of ['customer.country,note', 'customer.nothing']) {
      const { status, body } = await list(hidden, 'Orders', { expand })
      expect([status, body.expanded]).toEqual([200, {}])
    }
    const seen = await narrow({ structures: { [structures.Countries]: 'none' } })
    const { body } = await list(seen, 'Orders', { expand: 'customer.country,about' })
    expect(body.expanded).toEqual(only(made.customer.id))
  })

  test.each([
    ['', 'invalid_request'],
    ['customer,', 'invalid_request'],
    ['customer.', 'invalid_request'],
    ['.country', 'invalid_request'],
    ['customer.country.name', 'invalid_request'],
    ['customer,note,about,customer,note,about', 'invalid_request'],
    ['nothing', 'refused'],
    ['amount', 'refused'],
    ['note.title', 'refused'],
    ['about.name', 'refused'],
    ['customer.name', 'refused'],
    ['customer.nothing', 'refused'],
    ['Customer', 'refused'],
  ])('%p is refused as %s wherever it is sent', async (expand, code) => {
    for (const path of ['?structure=Orders&', `/${made.order.id}?`, '/watch?structure=Orders&']) {
      const answer = await service.get(`/v1/records${path}expand=${expand}`)
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, code])
    }
  })

  test('returns at most 1,000 objects, and says when there are more', async () => {
    const write500 = async (structure: string, rows: object[]) =>
      (await service.post('/v1/records', { structure, rows: rows.map((data) => ({ data })) })).body.records
    await declare(service, 'Pairs', [
      field('one', 'record'),
      field('two', 'record'),
      field('three', 'record'),
    ])
    const names = Array.from({ length: 500 }, (_, at) => ({ name: `${at}` }))
    const [one, two, three] = [
      await write500('Countries', names),
      await write500('Countries', names),
      await write500('Countries', names.slice(0, 1)),
    ]
    await write500(
      'Pairs',
      names.map((_, at) => ({ one: one[at].id, two: two[at].id, ...(at < 1 && { three: three[0].id }) })),
    )
    const full = await list(service, 'Pairs', { limit: 500, expand: 'one,two' })
    expect([Object.keys(full.body.expanded).length, full.body.expanded_truncated]).toEqual([1_000, undefined])
    const more = await list(service, 'Pairs', { limit: 500, expand: 'one,two,three' })
    expect([Object.keys(more.body.expanded).length, more.body.expanded_truncated]).toEqual([1_000, true])
  })

  test('keeps the tag of the row usable for If-Match, and changes the tag with the objects', async () => {
    const path = `/v1/records/${made.order.id}`
    const read = (headers = {}) => service.request('GET', `${path}?expand=customer`, undefined, headers)
    const tag = (await read()).headers.get('etag') ?? ''
    expect((await read({ 'if-none-match': tag })).status).toBe(304)
    expect((await service.request('GET', path, undefined, { 'if-none-match': tag })).status).toBe(200)
    await service.patch(`/v1/records/${made.customer.id}`, { data: { name: 'Eve' } })
    expect((await read({ 'if-none-match': tag })).status).toBe(200)
    const patch = () =>
      service.request('PATCH', path, { data: { amount: 6 } }, { 'if-match': tag.replace(/"$/, '-zstd"') })
    expect((await patch()).status).toBe(200)
    expect((await patch()).status).toBe(412)
  })
})

describe('a watch with expand', () => {
  const merge = async () => {
    await settle()
    service.clock.advance(250)
  }

  test('carries the objects, and sends an answer when one of them changes', async () => {
    const opened = await watch(service, 'Orders', { expand: 'customer.country' })
    expect((await opened.event('answer')).expanded).toEqual(only(made.customer.id, made.country.id))
    await service.patch(`/v1/records/${made.country.id}`, { data: { name: 'Peru' } })
    await merge()
    const { expanded } = await opened.event('answer')
    expect(expanded[made.country.id].data).toEqual({ name: 'Peru' })
  })

  test('shows each reader only what that reader may read', async () => {
    const access = { structures: { [structures.Customers]: 'none' as const } }
    const narrow = await watch(
      { app: service.app, key: await service.newKey({ access, user: 'Vera', role: 'viewer' }) },
      'Orders',
      { expand: 'customer' },
    )
    const whole = await watch(service, 'Orders', { expand: 'customer' })
    expect((await narrow.event('answer')).expanded).toEqual({})
    expect((await whole.event('answer')).expanded).toEqual(only(made.customer.id))
  })
})
