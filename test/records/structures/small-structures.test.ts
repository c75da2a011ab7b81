import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { faultsIn, repair } from '../../support/check.ts'
import { runInProcess } from '../../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../../support/counts.ts'
import { alter } from '../../support/database.ts'
import { newFolder } from '../../support/process.ts'
import {
  arbitraryData,
  arbitraryFields,
  arbitraryFilter,
  sortKeys,
  withIds,
} from '../../support/record-oracle.ts'
import {
  declare,
  type FieldSpec,
  giveTable,
  hasOwnTable,
  list,
  summary,
  takeTable,
  write,
} from '../../support/records.ts'
import { type Answer, startService, type TestService } from '../../support/service.ts'

/* The rows of small structures share one table. No caller can see the difference. */

let service: TestService
let count = 0
const folder = newFolder()
const file = folder.file('small.db')
const SOUND = { exitCode: 0, out: 'ok\n', err: '' }

/** On a file, where reads use a separate connection. */
beforeAll(async () => {
  service = await startService({ file })
})
afterAll(() => {
  service.close()
  folder.remove()
})

const rowsOf = (count: number, from = 0) => Array.from({ length: count }, (_, n) => ({ n: from + n }))

/** A structure whose ids are named in the order of their first appearance. */
class Twin {
  readonly ids: string[] = []
  #names = new Map<string, string>()

  constructor(readonly name: string) {}

  plain({ status, body }: Answer): unknown {
    const text = JSON.stringify(body ?? null).replaceAll(this.name, 'twin')
    const named = text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      const name = this.#names.get(id) ?? `id ${this.#names.size}`
      this.#names.set(id, name)
      return name
    })
    // If several rows collide, the refusal may name any two.
    return [status, named.replace(/change or delete one of .* first/, 'change or delete one first')]
  }
}

const arbitraryEvent = (fields: readonly FieldSpec[]) => {
  const data = arbitraryData(fields)
  const rows = fc.array(data, { minLength: 1, maxLength: 5 })
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ does: fc.constant('write' as const), rows, updates: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('patch' as const), at: fc.nat(20), data }) },
    {
      weight: 1,
      arbitrary: fc.record({ does: fc.constant('exchange' as const), at: fc.nat(20), other: fc.nat(20) }),
    },
    fc.record({ does: fc.constant('delete' as const), at: fc.nat(20) }),
    fc.record({ does: fc.constant('restore' as const), at: fc.nat(20) }),
    fc.record({ does: fc.constant('move' as const), to: fc.constantFrom('own' as const, 'shared' as const) }),
    fc.record({ does: fc.constant('define' as const), unique: fc.nat(5), tries: fc.boolean() }),
  )
}
type Event = ReturnType<typeof arbitraryEvent> extends fc.Arbitrary<infer Value> ? Value : never

const arbitraryHistory = arbitraryFields.chain((fields) =>
  fc.record({
    fields: fc.constant(fields),
    events: fc.array(arbitraryEvent(fields), { minLength: 3, maxLength: 12 }),
    query: fc.record({
      filter: arbitraryFilter(fields),
      sort: fc.constantFrom(...sortKeys(fields)),
      direction: fc.constantFrom('asc', 'desc'),
      limit: fc.integer({ min: 1, max: 8 }),
      offset: fc.nat(8),
    }),
  }),
)

async function perform({ name, ids }: Twin, fields: FieldSpec[], event: Event): Promise<Answer> {
  const at = (place: number) => `/v1/records/${ids[place % ids.length]}`
  if (event.does === 'write') {
    const answer = await service.post('/v1/records', {
      structure: name,
      rows: event.rows.map((data) => ({ data })),
      on_conflict: event.updates ? 'update' : 'error',
    })
    for (const { id } of answer.body.records ?? []) if (!ids.includes(id)) ids.push(id)
    return answer
  }
  if (event.does === 'patch') return service.patch(at(event.at), { data: event.data })
  if (event.does === 'delete') return service.delete(at(event.at))
  if (event.does === 'restore') return service.post(`${at(event.at)}/restore`)
  if (event.does === 'exchange') {
    const [one, other] = await Promise.all([event.at, event.other].map((place) => service.get(at(place))))
    const changes = [
      { op: 'update', kind: 'record', id: one?.body.record?.id, data: other?.body.record?.data },
      { op: 'update', kind: 'record', id: other?.body.record?.id, data: one?.body.record?.data },
    ]
    return service.post('/v1/changes/apply', { changes })
  }
  if (event.does === 'define')
    return service.patch(`/v1/records/structures/${name}`, {
      fields: [
        ...fields.map((field, place) => ({ ...field, unique: place === event.unique })),
        ...(event.unique > fields.length ? [{ key: 'new', type: 'text', unique: true }] : []),
      ],
      dry_run: event.tries,
    })
  if (name.startsWith('moving')) await (event.to === 'own' ? giveTable : takeTable)(service, name)
  return service.get(`/v1/records/structures/${name}`)
}

test(
  'a structure whose rows move between its own table and the shared one gives the same results',
  async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryHistory, async ({ fields, events, query }) => {
        count += 1
        const twins = [new Twin(`moving${count}`), new Twin(`staying${count}`)]
        for (const { name } of twins) await declare(service, name, fields)
        await giveTable(service, `staying${count}`)
        for (const event of events) {
          const answers = []
          for (const twin of twins) {
            const asked = [await perform(twin, fields, event)]
            const filter = withIds(query.filter, twin.ids.map((id) => ({ id })) as never)
            asked.push(await list(service, twin.name, { ...query, filter }))
            asked.push(await summary(service, twin.name, { by: fields.at(-1)?.key, filter }))
            asked.push(await list(service, twin.name, { search: 'a', sort: query.sort }))
            asked.push(await service.get(`/v1/records/structures/${twin.name}`))
            answers.push(asked.map((answer) => twin.plain(answer)))
          }
          expect(answers[0]).toEqual(answers[1] as never)
        }
      }),
      { numRuns: runs(20, 2_000) },
    )
    expect(await runInProcess(['check', '--db', file])).toEqual(SOUND)
  },
  RANDOM_CASES_MS,
)

test('the write with which a structure is no longer small gives it a table, and nothing before', async () => {
  const outgrows = async (name: string, fields: FieldSpec[], ...writes: (() => Promise<unknown>)[]) => {
    await declare(service, name, fields)
    for (const write of writes.slice(0, -1)) await write()
    const before = hasOwnTable(service, name)
    await writes.at(-1)?.()
    return [before, hasOwnTable(service, name)]
  }
  const n = [{ key: 'n', type: 'number' }]
  const text = { key: 'text', type: 'text' }
  const patch = (name: string, body: object) => service.patch(`/v1/records/structures/${name}`, body)
  const many = Array.from({ length: 21 }, (_, at) => ({ key: `k${at}`, type: 'text' }))
  const grown = [
    await outgrows(
      'rows',
      n,
      () => write(service, 'rows', ...rowsOf(200)),
      () => write(service, 'rows', { n: 200 }),
    ),
    await outgrows(
      'batch',
      n,
      async () => {},
      () => write(service, 'batch', ...rowsOf(450)),
    ),
    await outgrows(
      'long',
      [text],
      () => write(service, 'long', { text: 'x'.repeat(4_096) }),
      () => write(service, 'long', { text: 'x'.repeat(4_097) }),
    ),
    await outgrows(
      'longer',
      [text],
      () => write(service, 'longer', { text: 'x' }),
      async () => {
        const { body } = await list(service, 'longer')
        await service.patch(`/v1/records/${body.records[0].id}`, { data: { text: 'y'.repeat(5_000) } })
      },
    ),
    await outgrows(
      'wide',
      many.slice(1),
      () => write(service, 'wide', { k1: 'a' }),
      () => patch('wide', { fields: [...many.slice(1), many[0]] }),
    ),
  ]
  expect(grown).toEqual(grown.map(() => [false, true]))
  await declare(service, 'wide from the start', many)
  expect(hasOwnTable(service, 'wide from the start')).toBe(true)
  expect((await list(service, 'rows', { filter: [{ field: 'n', op: 'gte', value: 199 }] })).body.total).toBe(
    2,
  )
  expect((await list(service, 'wide', { search: 'a' })).body.total).toBe(1)
  expect(await runInProcess(['check', '--db', file])).toEqual(SOUND)
})

test('unique values stay unique during and after the write that creates the table', async () => {
  await declare(service, 'codes', [{ key: 'n', type: 'number', unique: true }])
  await write(service, 'codes', ...rowsOf(150))
  const refusal = await service.post('/v1/records', {
    structure: 'codes',
    rows: rowsOf(100, 140).map((data) => ({ data })),
  })
  expect(refusal.body.error).toStartWith('Row 1: The field "n" is unique, and the record ')
  expect(hasOwnTable(service, 'codes')).toBe(false)
  const again = rowsOf(100, 150).map((data) => ({ data: { n: data.n % 230 } }))
  const inCall = await service.post('/v1/records', { structure: 'codes', rows: again })
  expect([inCall.body.code, hasOwnTable(service, 'codes')]).toEqual(['unique_violation', false])
  await write(service, 'codes', ...rowsOf(100, 150))
  expect(hasOwnTable(service, 'codes')).toBe(true)
  expect((await service.post('/v1/records', { structure: 'codes', data: { n: 7 } })).body.code).toBe(
    'unique_violation',
  )
  expect((await list(service, 'codes')).body.total).toBe(250)
})

test('collisions in a small structure are reported, as no derived data can repair them', async () => {
  const other = await startService()
  await declare(other, 'codes', [{ key: 'n', type: 'number', unique: true }])
  await write(other, 'codes', { n: 1 }, { n: 2 })
  await alter(other, `UPDATE small_rows SET f1 = 1; UPDATE records SET data = '{"n":1}'`)
  expect(faultsIn(other)).toEqual(['Rows of the structure "codes" collide that must be unique.'])
  expect(repair(other)).rejects.toThrow()
  other.close()
})
