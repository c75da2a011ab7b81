import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { declare, field, write } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'

const PATH = '/v1/records/structures'
let service: TestService

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const wholeField = (key: string, type: string, more: Record<string, unknown> = {}) => ({
  key,
  type,
  label: key,
  required: false,
  unit: null,
  hidden: false,
  unique: false,
  min: null,
  max: null,
  options: null,
  structure: null,
  ...more,
})

/** Expects a refusal, and an unchanged list of structures. */
async function expectRefusal(
  call: () => Promise<{ status: number; body: unknown }>,
  status: number,
  code: string,
  says: RegExp,
) {
  const before = await service.get(PATH)
  const answer = await call()
  expect(answer).toMatchObject({ status, body: { code, error: expect.stringMatching(says) } })
  expect((await service.get(PATH)).body).toEqual(before.body)
}

test('a structure is returned in full, with every attribute of its fields', async () => {
  const created = await service.post(PATH, {
    name: 'Books',
    fields: [field('title', 'text', { required: true }), field('pages', 'number', { unit: 'p', min: 1 })],
  })
  expect(created).toMatchObject({ status: 201 })
  const structure = {
    id: created.body.structure.id,
    name: 'Books',
    description: null,
    fields: [
      wholeField('title', 'text', { required: true }),
      wholeField('pages', 'number', { unit: 'p', min: 1 }),
    ],
    label_field: null,
    unique_together: [],
    max_rows: null,
    immutable: false,
    record_count: 0,
    created_at: '2026-11-21T09:30:00.000Z',
    updated_at: '2026-11-21T09:30:00.000Z',
  }
  expect(created.body).toEqual({ structure })
  expect((await service.get(`${PATH}/bOOKS`)).body).toEqual({ structure })
  expect((await service.get(`${PATH}/${structure.id}`)).body).toEqual({ structure })
  expect((await service.get(PATH)).body).toEqual({ structures: [structure] })
})

test('structures are listed by creation, and only those of the workspace', async () => {
  const other = service.as(await service.newWorkspace('Other'))
  await declare(service, 'Zebra', [])
  await declare(other, 'Mine', [])
  await declare(service, 'Aardvark', [])
  const names = (answer: { body: { structures: { name: string }[] } }) =>
    answer.body.structures.map(({ name }) => name)
  expect(names(await service.get(PATH))).toEqual(['Zebra', 'Aardvark'])
  expect(names(await other.get(PATH))).toEqual(['Mine'])
  expect((await other.get(`${PATH}/Zebra`)).status).toBe(404)
  expect((await other.patch(`${PATH}/Zebra`, { immutable: true })).status).toBe(404)
})

const INVALID: [string, Record<string, unknown>, RegExp][] = [
  ['no name', { fields: [] }, /"name" is required/],
  ['no fields', { name: 'X' }, /"fields" is required/],
  ['an empty name', { name: '', fields: [] }, /"name" must be/],
  ['a name with a line break', { name: 'a\nb', fields: [] }, /"name" must be/],
  ['a name of 501 characters', { name: '😀'.repeat(501), fields: [] }, /"name" must be/],
  ['an upper-case key', { name: 'X', fields: [field('Title', 'text')] }, /"fields\[0\].key" must be a key/],
  [
    'a key of 64 characters',
    { name: 'X', fields: [field('a'.repeat(64), 'text')] },
    /"fields\[0\].key" must be a key/,
  ],
  ['a reserved key', { name: 'X', fields: [field('deleted_at', 'text')] }, /reserved/],
  ['an unknown type', { name: 'X', fields: [field('a', 'json')] }, /"fields\[0\].type" must be one of/],
  ['no type', { name: 'X', fields: [{ key: 'a' }] }, /"fields\[0\].type" is required/],
  [
    'an unknown attribute',
    { name: 'X', fields: [field('a', 'text', { uniq: true })] },
    /"fields\[0\].uniq" is not known/,
  ],
  [
    '101 fields',
    { name: 'X', fields: Array.from({ length: 101 }, (_, at) => field(`f${at}`, 'text')) },
    /"fields" must be a list/,
  ],
  [
    'a set of one field',
    { name: 'X', fields: [field('a', 'text')], unique_together: [['a']] },
    /"unique_together\[0\]" must be a list/,
  ],
  ['max_rows 0', { name: 'X', fields: [], max_rows: 0 }, /"max_rows" must be an integer of 1 or more/],
  [
    'a description of 10,001 characters',
    { name: 'X', fields: [], description: 'x'.repeat(10_001) },
    /"description" must be/,
  ],
  [
    'a unit of 51 characters',
    { name: 'X', fields: [field('a', 'number', { unit: 'x'.repeat(51) })] },
    /"fields\[0\].unit" must be/,
  ],
]

test.each(INVALID)('a structure with %s is refused for its shape', async (_, body, says) => {
  await expectRefusal(() => service.post(PATH, body), 400, 'invalid_request', says)
})

const REFUSED: [string, Record<string, unknown>, RegExp][] = [
  [
    'a name in the form of an id',
    { name: '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60', fields: [] },
    /form of an id/,
  ],
  [
    'a name in the form of an id, ignoring case',
    { name: '01939F3E-7A5C-7000-8F1E-5B2C9D3E4F60', fields: [] },
    /form of an id/,
  ],
  ['one key twice', { name: 'X', fields: [field('a', 'text'), field('a', 'number')] }, /names "a" twice/],
  ['a label_field that is no field', { name: 'X', fields: [], label_field: 'a' }, /"label_field" names "a"/],
  [
    'a set of an unknown field',
    { name: 'X', fields: [field('a', 'text')], unique_together: [['a', 'b']] },
    /"unique_together\[0\]" names "b"/,
  ],
  [
    'a set with one field twice',
    { name: 'X', fields: [field('a', 'text')], unique_together: [['a', 'a']] },
    /names one field twice/,
  ],
  [
    'one set twice, its fields in another order',
    {
      name: 'X',
      fields: [field('a', 'text'), field('b', 'text')],
      unique_together: [
        ['a', 'b'],
        ['b', 'a'],
      ],
    },
    /"unique_together\[1\]" names the fields of an earlier set/,
  ],
  [
    'options on a text',
    { name: 'X', fields: [field('a', 'text', { options: ['x'] })] },
    /options" belong to a field of type "select"/,
  ],
  [
    'one option twice',
    { name: 'X', fields: [field('a', 'select', { options: ['x', 'x'] })] },
    /name one option twice/,
  ],
  [
    'a target on a note',
    { name: 'X', fields: [field('a', 'note', { structure: 'X' })] },
    /structure" belongs to a field of type "record"/,
  ],
  [
    'an unknown target',
    { name: 'X', fields: [field('a', 'record', { structure: 'Y' })] },
    /names "Y", and there is no such structure/,
  ],
  [
    'a text as the least number',
    { name: 'X', fields: [field('a', 'number', { min: '1' })] },
    /min" must be a finite number/,
  ],
  [
    'a fraction as a length',
    { name: 'X', fields: [field('a', 'text', { max: 1.5 })] },
    /max" must be a whole number/,
  ],
  [
    'no real day as a bound',
    { name: 'X', fields: [field('a', 'date', { max: '2026-02-30' })] },
    /max" must be an existing day/,
  ],
  ['a bound on yes/no', { name: 'X', fields: [field('a', 'bool', { min: 0 })] }, /has no bounds/],
  [
    'min above max',
    { name: 'X', fields: [field('a', 'time', { min: '10:00', max: '09:00' })] },
    /"min" is above "max"/,
  ],
]

test.each(REFUSED)('a structure with %s is refused', async (_, body, says) => {
  await expectRefusal(() => service.post(PATH, body), 400, 'refused', says)
})

test('a name is taken whatever its case, until the structure is renamed', async () => {
  await declare(service, 'Éclairs', [])
  await declare(service, 'Cakes', [])
  await expectRefusal(
    () => service.post(PATH, { name: 'éCLAIRS', fields: [] }),
    409,
    'name_taken',
    /"éCLAIRS" exists/,
  )
  await expectRefusal(
    () => service.patch(`${PATH}/Cakes`, { name: 'ÉCLAIRS' }),
    409,
    'name_taken',
    /"ÉCLAIRS" exists/,
  )
  expect((await service.patch(`${PATH}/éclairs`, { name: 'ÉCLAIRS' })).body.structure.name).toBe('ÉCLAIRS')
  expect((await service.patch(`${PATH}/éclairs`, { name: 'Pies' })).status).toBe(200)
  expect((await service.get(`${PATH}/éclairs`)).status).toBe(404)
  await declare(service, 'Éclairs', [])
})

test('a record field names its structure by name or id, its own included, and returns the id', async () => {
  const authors = await declare(service, 'Authors', [field('name', 'text')])
  const books = await declare(service, 'Books', [
    field('author', 'record', { structure: 'aUTHORS' }),
    field('other', 'record', { structure: authors.id }),
    field('sequel', 'record', { structure: 'books' }),
  ])
  expect(books.fields.map(({ structure }: { structure: string }) => structure)).toEqual([
    authors.id,
    authors.id,
    books.id,
  ])
})

test('bounds are stored in the format of their values', async () => {
  const { fields } = await declare(service, 'X', [
    field('t', 'time', { min: '09:30' }),
    field('d', 'datetime', { max: '2026-11-21T12:00:00+02:00' }),
  ])
  expect([fields[0].min, fields[1].max]).toEqual(['09:30:00', '2026-11-21T10:00:00.000Z'])
})

test('bounds may be equal, for a single value', async () => {
  const { fields } = await declare(service, 'X', [field('n', 'number', { min: 5, max: 5 })])
  expect(fields).toEqual([wholeField('n', 'number', { min: 5, max: 5 })])
  expect((await write(service, 'X', { n: 5 }))[0].data).toEqual({ n: 5 })
})

test('before any row, fields change freely and the rows that follow obey the new ones', async () => {
  await declare(service, 'X', [field('a', 'text', { unique: true }), field('b', 'number')])
  const { body } = await service.patch(`${PATH}/X`, {
    fields: [field('b', 'date'), field('c', 'bool', { label: 'See' })],
  })
  expect(body.structure.fields).toEqual([wholeField('b', 'date'), wholeField('c', 'bool', { label: 'See' })])
  const [record] = await write(service, 'X', { b: '2026-11-21', c: true })
  expect(record.data).toEqual({ b: '2026-11-21', c: true })
})

test('once a row was written, deleted ones included, fields are added, relabelled or hidden and nothing else', async () => {
  await declare(service, 'X', [field('a', 'text'), field('b', 'number')])
  const [record] = await write(service, 'X', { a: 'one', b: 1 })
  await service.delete(`/v1/records/${record.id}`)
  const patch = (fields: unknown[]) => () => service.patch(`${PATH}/X`, { fields })
  await expectRefusal(patch([field('a', 'text')]), 400, 'refused', /"b" cannot be removed or renamed/)
  await expectRefusal(
    patch([field('a', 'text'), field('bb', 'number')]),
    400,
    'refused',
    /"b" cannot be removed or renamed/,
  )
  await expectRefusal(
    patch([field('a', 'text'), field('b', 'text')]),
    400,
    'refused',
    /"number" and cannot become "text"/,
  )
  const { status, body } = await patch([
    field('c', 'date', { required: true }),
    field('b', 'number', { hidden: true }),
    field('a', 'text', { label: 'Ah' }),
  ])()
  expect({ status, fields: body.structure.fields }).toEqual({
    status: 200,
    fields: [
      wholeField('c', 'date', { required: true }),
      wholeField('b', 'number', { hidden: true }),
      wholeField('a', 'text', { label: 'Ah' }),
    ],
  })
  expect((await service.post(`/v1/records/${record.id}/restore`)).body.error).toMatch(/"c" is required/)
})

test('a field sent again keeps omitted attributes, except required, options and structure', async () => {
  const kept = { unique: true, unit: 'kg', label: 'Weight', hidden: true, min: 1, max: 9 }
  await declare(service, 'X', [
    field('n', 'number', { ...kept, required: true }),
    field('s', 'select', { options: ['a'], required: true }),
  ])
  const again = await service.patch(`${PATH}/X`, { fields: [field('n', 'number'), field('s', 'select')] })
  expect(again.body.structure.fields).toEqual([wholeField('n', 'number', kept), wholeField('s', 'select')])
  const cleared = await service.patch(`${PATH}/X`, {
    fields: [
      field('n', 'number', { unique: false, unit: null, label: null, hidden: false, min: null, max: null }),
      field('s', 'select'),
    ],
  })
  expect(cleared.body.structure.fields[0]).toEqual(wholeField('n', 'number'))
})

test('a field sent again with another type, before there are rows, keeps all but its bounds', async () => {
  const kept = { unique: true, unit: 'kg', label: 'Weight', hidden: true }
  await declare(service, 'X', [field('n', 'number', { ...kept, min: 1, max: 9 })])
  const { body } = await service.patch(`${PATH}/X`, { fields: [field('n', 'text')] })
  expect(body.structure.fields).toEqual([wholeField('n', 'text', kept)])
  await write(service, 'X', { n: 'one' })
  await expectRefusal(
    () => service.post('/v1/records', { structure: 'X', data: { n: 'one' } }),
    400,
    'unique_violation',
    /"n" is unique/,
  )
})

test('a field named by label_field or unique_together cannot be removed or retyped', async () => {
  await declare(service, 'X', [field('a', 'text'), field('b', 'text'), field('c', 'text')], {
    label_field: 'a',
    unique_together: [['b', 'c']],
  })
  const patch = (body: unknown) => () => service.patch(`${PATH}/X`, body)
  await expectRefusal(
    patch({ fields: [field('b', 'text'), field('c', 'text')] }),
    409,
    'in_use',
    /"a" is named by "label_field"/,
  )
  await expectRefusal(
    patch({ fields: [field('a', 'text'), field('b', 'date'), field('c', 'text')] }),
    409,
    'in_use',
    /"b" is named by "unique_together"/,
  )
  const freed = await patch({ fields: [field('c', 'text')], label_field: null, unique_together: [] })()
  expect(freed.body.structure).toMatchObject({
    label_field: null,
    unique_together: [],
    fields: [{ key: 'c' }],
  })
})

test('uniqueness is not turned on while rows collide, and the sentence names two of them', async () => {
  await declare(service, 'X', [field('a', 'text'), field('b', 'number')])
  const [one, , three] = await write(
    service,
    'X',
    { a: 'x', b: 1 },
    { a: 'y', b: 1 },
    { a: 'x', b: 1 },
    { b: 2 },
    { b: 3 },
  )
  const unique = { fields: [field('a', 'text', { unique: true }), field('b', 'number')] }
  await expectRefusal(
    () => service.patch(`${PATH}/X`, unique),
    400,
    'refused',
    new RegExp(`"a" cannot become unique.*"${one.id}" and "${three.id}"`),
  )
  await expectRefusal(
    () => service.patch(`${PATH}/X`, { unique_together: [['a', 'b']] }),
    400,
    'refused',
    /"a" and "b" together cannot become unique/,
  )
  await service.delete(`/v1/records/${one.id}`)
  expect((await service.patch(`${PATH}/X`, { ...unique, unique_together: [['b', 'a']] })).status).toBe(200)
  expect((await service.post('/v1/records', { structure: 'X', data: { a: 'x' } })).body.code).toBe(
    'unique_violation',
  )
  const off = await service.patch(`${PATH}/X`, {
    fields: [field('a', 'text', { unique: false }), field('b', 'number')],
    unique_together: [],
  })
  expect(off.status).toBe(200)
  expect((await service.post('/v1/records', { structure: 'X', data: { a: 'x', b: 1 } })).status).toBe(201)
})

test('max_rows is not lowered below the rows held', async () => {
  await declare(service, 'X', [field('a', 'text')], { max_rows: 5 })
  await write(service, 'X', {}, {}, {})
  await expectRefusal(
    () => service.patch(`${PATH}/X`, { max_rows: 2 }),
    400,
    'max_rows_reached',
    /while the structure holds 3 rows/,
  )
  expect((await service.patch(`${PATH}/X`, { max_rows: 3 })).body.structure.max_rows).toBe(3)
  expect((await service.patch(`${PATH}/X`, { max_rows: null })).body.structure.max_rows).toBeNull()
})

test('updated_at grows at every change, also within a millisecond, and stays when nothing changes', async () => {
  const { updated_at: first } = await declare(service, 'X', [field('a', 'text')])
  const patch = async (body: unknown) => (await service.patch(`${PATH}/X`, body)).body.structure.updated_at
  expect(await patch({ name: 'X', fields: [field('a', 'text')], description: null, immutable: false })).toBe(
    first,
  )
  expect(await patch({})).toBe(first)
  const { fields } = (await service.get(`${PATH}/X`)).body.structure
  expect(await patch({ fields })).toBe(first)
  expect(await patch({ immutable: true })).toBe('2026-11-21T09:30:00.001Z')
  expect(await patch({ immutable: false })).toBe('2026-11-21T09:30:00.002Z')
})

test('the workspace counts its structures and live records', async () => {
  await declare(service, 'X', [field('a', 'text')])
  const [record] = await write(service, 'X', {}, {})
  await service.delete(`/v1/records/${record.id}`)
  expect((await service.get('/v1/workspace')).body.workspace.counts).toMatchObject({
    structures: 1,
    records: 1,
  })
  const other = service.as(await service.newWorkspace('Other'))
  expect((await other.get('/v1/workspace')).body.workspace.counts).toMatchObject({
    structures: 0,
    records: 0,
  })
})

describe('a dry run of a change', () => {
  const ORDERS = {
    name: 'Orders',
    fields: [field('ref', 'text'), field('bike', 'text'), field('due', 'date')],
    label_field: 'ref',
    unique_together: [['ref', 'bike']],
  }
  const [REF, BIKE, DUE] = ORDERS.fields
  const HOOK = { structure: 'Orders', url: 'https://hooks.example.com/orders', fields: ['due'] }
  const dryRun = async (patch: object) => service.patch(`${PATH}/Orders`, { ...patch, dry_run: true })

  beforeEach(async () => {
    await declare(service, 'Customers', [])
    expect((await service.post(PATH, ORDERS)).status).toBe(201)
    expect((await service.post('/v1/webhooks', HOOK)).status).toBe(201)
  })

  /** Patches, with the fields that their refusals name; no fields for patches that the server would accept. */
  const CASES: readonly (readonly [what: string, patch: object, about: readonly (string | null)[]])[] = [
    ['nothing', {}, []],
    ['a new field', { fields: [...ORDERS.fields, field('more', 'text')], max_rows: 5 }, []],
    ['a name that another has', { name: 'customers' }, [null]],
    ['a bound that does not fit', { fields: [REF, BIKE, { ...DUE, min: 'ten' }] }, ['due']],
    ['a field less that a webhook names', { fields: [REF, BIKE] }, ['due']],
    ['a field less of the label and of a set', { fields: [BIKE, DUE] }, ['ref']],
    ['a label that is no field', { label_field: 'nothing' }, [null]],
    [
      'a set twice',
      {
        unique_together: [
          ['ref', 'bike'],
          ['bike', 'ref'],
        ],
      },
      [null],
    ],
  ]

  test.each(CASES)('returns the refusal of a PATCH, and writes nothing: %s', async (_, patch, about) => {
    const before = (await service.get(`${PATH}/Orders`)).body.structure
    const { status, body } = await dryRun(patch)
    expect(status).toBe(200)
    expect(body.refusals.map((refusal: { field: string | null }) => refusal.field)).toEqual(about)
    expect((await service.get(`${PATH}/Orders`)).body.structure).toEqual(before)
    const written = await service.patch(`${PATH}/Orders`, patch)
    const [first] = body.refusals
    if (first) expect(written.body).toEqual({ error: first.error, code: first.code })
    else expect(body.structure).toEqual({ ...written.body.structure, updated_at: before.updated_at })
  })

  test('returns every refusal: of fields, of the structure and of the rows', async () => {
    const rows = ['A', 'A', 'B'].map((bike, at) => ({ data: { ref: `${at}`, bike } }))
    await service.post('/v1/records', { structure: 'Orders', rows })
    const patch = { name: 'Customers', fields: [REF, { ...BIKE, unique: true, min: -1 }], max_rows: 2 }
    const { refusals } = (await dryRun(patch)).body
    expect(refusals).toMatchObject([
      { field: 'bike', code: 'refused', error: expect.stringContaining('"fields[1].min"') },
      { field: 'due', error: expect.stringContaining('cannot be removed or renamed') },
      { field: null, code: 'name_taken' },
      { field: null, code: 'max_rows_reached' },
    ])
    const unique = (await dryRun({ fields: [REF, { ...BIKE, unique: true }, DUE] })).body
    expect(unique.refusals).toMatchObject([{ field: 'bike', error: expect.stringContaining('rows collide') }])
    expect(unique.structure.fields[1].unique).toBe(false)
  })
})
