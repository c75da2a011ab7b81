import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  type Definition,
  definitionRefusals,
} from '../../src/web/pages/records/structure/definition-refusals.ts'
import { startService, type TestService } from '../support/service.ts'

const URL = 'https://hooks.example.com/orders'
const field = (key: string, more: object = {}) => ({
  key,
  type: 'text',
  label: key.toUpperCase(),
  required: false,
  unique: false,
  hidden: false,
  unit: null,
  min: null,
  max: null,
  ...more,
})
const ORDERS: Definition = {
  name: 'Orders',
  fields: [field('ref'), field('bike'), field('total', { type: 'number' }), field('due', { type: 'date' })],
  label_field: 'ref',
  unique_together: [['ref', 'bike']],
  max_rows: null,
}
const [REF, BIKE, TOTAL, DUE] = ORDERS.fields
type Patch = Partial<Definition>
const withFields = (...fields: unknown[]): Patch => ({ fields: fields as Definition['fields'] })

/** What is refused, and what it is about, in words of the sentence; undefined for what is saved. */
type Case = readonly [what: string, patch: Patch, about: string | undefined]

const MORE = Array.from({ length: 80 }, (_, at) => field(`more${at}`))

const ANY_TIME: readonly Case[] = [
  ['nothing changed', {}, undefined],
  ['a new field', withFields(REF, BIKE, TOTAL, DUE, field('more')), undefined],
  ['a name that another has', { name: 'customers' }, 'Customers'],
  ['its own name in capitals', { name: 'ORDERS' }, undefined],
  ['a name like an id', { name: '01890a5d-ac96-774b-bcce-b302099a8057' }, 'form of an id'],
  ['a key twice', withFields(REF, BIKE, TOTAL, DUE, field('ref')), '“ref”'],
  ['a key in capitals', withFields(REF, BIKE, TOTAL, DUE, field('Ref')), '“Ref”'],
  ['a reserved key', withFields(REF, BIKE, TOTAL, DUE, field('id')), '“id”'],
  ['a bound that is no number', withFields(REF, BIKE, { ...TOTAL, min: 'ten' }, DUE), '“ten”'],
  ['no value between the bounds', withFields(REF, BIKE, { ...TOTAL, min: 2, max: 1 }, DUE), 'at least 2'],
  ['a length below 0', withFields(REF, { ...BIKE, min: -1 }, TOTAL, DUE), '“-1”'],
  ['a day that there is not', withFields(REF, BIKE, TOTAL, { ...DUE, max: '2026-02-30' }), '2026-02-30'],
  ['a day that there is', withFields(REF, BIKE, TOTAL, { ...DUE, max: '2026-02-28' }), undefined],
  [
    'times of different length',
    withFields(REF, BIKE, TOTAL, DUE, field('at', { type: 'time', min: '09:30', max: '09:30:00' })),
    undefined,
  ],
  [
    'an instant without an offset',
    withFields(REF, BIKE, TOTAL, DUE, field('at', { type: 'datetime', min: '2026-02-28T09:30' })),
    '2026-02-28T09:30',
  ],
  [
    'an option twice',
    withFields(REF, BIKE, TOTAL, DUE, field('state', { type: 'select', options: ['a', 'b', 'a'] })),
    '“a” twice',
  ],
  ['a name of rows that is not there', { label_field: 'nothing' }, '“nothing”'],
  ['a set of a field that is not there', { unique_together: [['ref', 'nothing']] }, '“nothing”'],
  [
    'a set twice',
    {
      unique_together: [
        ['ref', 'due'],
        ['due', 'ref'],
      ],
    },
    'twice',
  ],
  [
    'more unique than a structure has',
    {
      ...withFields(REF, BIKE, TOTAL, DUE, ...MORE),
      unique_together: MORE.slice(0, 3).map((_, at) => MORE.map(({ key }) => key).toSpliced(at, 1)),
    },
    'in all',
  ],
  ['no rows at all', { max_rows: 0 }, 'from 1 on'],
  ['half a row', { max_rows: 1.5 }, 'from 1 on'],
]
const WITHOUT_ROWS: readonly Case[] = [
  ['a field less', withFields(REF, BIKE, TOTAL), undefined],
  ['a field of another type', withFields(REF, BIKE, TOTAL, { ...DUE, type: 'text' }), undefined],
  ['a field less that a webhook names', withFields(REF, BIKE, DUE), URL],
  ['a field less that names a row', { ...withFields(BIKE, TOTAL, DUE), unique_together: [] }, 'names a row'],
  ['a field less of a set', withFields(REF, TOTAL, DUE), 'unique together'],
  ['a field and its set less', { ...withFields(REF, TOTAL, DUE), unique_together: [] }, undefined],
  ['one row at most', { max_rows: 1 }, undefined],
]
const WITH_DELETED_ROWS: readonly Case[] = [
  ['a field less', withFields(REF, BIKE, TOTAL), 'there are rows or were some'],
  ['a field of another type', withFields(REF, BIKE, TOTAL, { ...DUE, type: 'text' }), 'another type'],
  ['one row at most', { max_rows: 1 }, undefined],
]
const WITH_ROWS: readonly Case[] = [
  ['a field less', withFields(REF, BIKE, TOTAL), 'there are rows or were some'],
  ['fewer rows than there are', { max_rows: 1 }, 'there are 2 now'],
  ['as many rows as there are', { max_rows: 2 }, undefined],
]

describe('what is said beforehand of a change of a structure', () => {
  let service: TestService

  beforeEach(async () => {
    service = await startService()
    await service.post('/v1/records/structures', { name: 'Customers', fields: [] })
    expect((await service.post('/v1/records/structures', { ...ORDERS })).status).toBe(201)
    const hook = { structure: 'Orders', url: URL, filter: [{ field: 'total', op: 'gt', value: 1 }] }
    expect((await service.post('/v1/webhooks', hook)).status).toBe(201)
  })
  afterEach(() => service.close())

  /** The sentences beforehand; then the server is asked, which must agree. */
  async function judge(patch: Patch, hadRows: boolean): Promise<readonly string[]> {
    const { structure } = (await service.get('/v1/records/structures/Orders')).body
    const beforehand = definitionRefusals(
      { ...ORDERS, ...patch },
      { before: structure, hadRows, names: ['Customers'], webhooks: [{ url: URL, keys: ['total'] }] },
    )
    const { status } = await service.patch(`/v1/records/structures/${structure.id}`, { ...ORDERS, ...patch })
    expect({ isRefused: status !== 200 }).toEqual({ isRefused: beforehand.length > 0 })
    return beforehand
  }
  const check = (hadRows: boolean) => async (_: string, patch: Patch, about: string | undefined) => {
    const sentences = await judge(patch, hadRows)
    if (about === undefined) expect(sentences).toEqual([])
    else expect(sentences).toEqual([expect.stringContaining(about)])
  }
  const addRows = async () => {
    const rows = [{ data: { ref: 'A' } }, { data: { ref: 'B' } }]
    return (await service.post('/v1/records', { structure: 'Orders', rows })).body.records as { id: string }[]
  }

  describe('that never had rows', () => {
    test.each([...ANY_TIME, ...WITHOUT_ROWS])('is what the server says: %s', check(false))
  })

  describe('whose rows were all deleted', () => {
    beforeEach(async () => {
      for (const { id } of await addRows()) await service.delete(`/v1/records/${id}`)
    })
    test.each(WITH_DELETED_ROWS)('is what the server says: %s', check(true))
  })

  describe('with rows', () => {
    beforeEach(() => addRows())
    test.each(WITH_ROWS)('is what the server says: %s', check(true))
  })
})
