import { makeFile } from './files.ts'
import { makeNote } from './notes.ts'
import { declare, type FieldSpec, field, write } from './records.ts'
import type { Client, TestService } from './service.ts'

/** A kind of field, with the values of two rows; the second value is the greater one. */
export interface FieldKindCase {
  readonly spec: FieldSpec
  readonly first: unknown
  readonly second: unknown
  /** The type of its values. */
  readonly valueType: string
}

export const isSeveral = ({ spec }: FieldKindCase): boolean => spec.multiple === true
export const isRollup = ({ spec }: FieldKindCase): boolean => spec.type === 'rollup'
export const isWritten = ({ spec }: FieldKindCase): boolean =>
  spec.type !== 'formula' && !isRollup({ spec } as FieldKindCase)

/** Two rows with values in every kind of field, and one without any. */
export interface FieldKinds {
  readonly kinds: readonly FieldKindCase[]
  /** The ids of the rows: of the first values, of the second, and of none. */
  readonly rows: readonly string[]
  /** The id of the structure with the fields, `All`. */
  readonly structure: string
}

const kind = (
  key: string,
  type: string,
  first: unknown,
  second: unknown,
  more: Record<string, unknown> = {},
): FieldKindCase => ({
  spec: field(key, type, more),
  first,
  second,
  valueType: String(more.result ?? type),
})

const DAYS = ['2026-01-02', '2026-02-03'] as const
const INSTANTS = ['2026-01-02T09:30:00.000Z', '2026-02-03T10:00:00.000Z'] as const
const formula = (result: string, expression: string, first: unknown, second: unknown) =>
  kind(`formula_${result}`, 'formula', first, second, { expression, result })

/** The kinds whose values name no other object. */
const PLAIN: readonly FieldKindCase[] = [
  kind('text', 'text', 'alpha', 'beta'),
  kind('number', 'number', 1.5, 2.5),
  kind('date', 'date', ...DAYS),
  kind('time', 'time', '09:30:00', '10:00:00'),
  kind('datetime', 'datetime', ...INSTANTS),
  kind('bool', 'bool', false, true),
  kind('select', 'select', 'open', 'shut', { options: ['open', 'shut'] }),
  kind('selects', 'select', ['red', 'blue'], ['green'], { multiple: true }),
  formula('text', 'UPPER({text})', 'ALPHA', 'BETA'),
  formula('number', '{number} * 2', 3, 5),
  formula('bool', '{number} > 2', false, true),
  formula('date', 'ADDDAYS({date}, 1)', '2026-01-03', '2026-02-04'),
  formula('datetime', 'COALESCE({datetime})', ...INSTANTS),
]

const via = { structure: 'Others', field: 'to' }
const ROLLUPS: readonly FieldKindCase[] = [
  kind('rollup_count', 'rollup', 1, 2, { via, function: 'count' }),
  kind('rollup_sum', 'rollup', 1.5, 5, { via, function: 'sum', field: 'amount' }),
  kind('rollup_min', 'rollup', ...DAYS, { via, function: 'min', field: 'day' }),
  kind('rollup_max', 'rollup', ...INSTANTS, { via, function: 'max', field: 'at' }),
]

/** The kinds of fields that name objects, one and several. */
const referring = (type: string, [one, two, three]: readonly string[], more = {}): FieldKindCase[] => [
  kind(type, type, one, three, more),
  kind(`${type}s`, type, [one, two], [three], { ...more, multiple: true }),
]

/** Three files and three members, which fields can name. */
interface Objects {
  readonly files: readonly string[]
  readonly users: readonly string[]
}

/** Creates the files and members in a service of this process. */
export async function makeObjects(service: TestService): Promise<Objects> {
  const files: string[] = []
  for (const n of [1, 2, 3]) files.push(await makeFile(service, { name: `file ${n}.txt` }))
  const users = [(await service.get('/v1/me')).body.user_id]
  for (const user of ['bea', 'cem'])
    users.push((await service.as(await service.newKey({ user })).get('/v1/me')).body.user_id)
  return { files, users: users.toSorted() }
}

/** Declares the structure `All` with every kind of field, and writes its rows. */
export async function makeFieldKinds(service: Client, { files, users }: Objects): Promise<FieldKinds> {
  const notes: string[] = []
  for (const n of [1, 2, 3]) notes.push((await makeNote(service, { title: `Note ${n}` })).id)
  const to = field('to', 'record')
  const own = [
    field('name', 'text'),
    field('amount', 'number'),
    field('day', 'date'),
    field('at', 'datetime'),
  ]
  await declare(service, 'Others', own, { label_field: 'name' })
  const [a1, b1] = [
    { name: 'Row 1', amount: 1.5, day: DAYS[0], at: INSTANTS[0] },
    { name: 'Row 2', amount: 2.5, day: DAYS[1], at: INSTANTS[1] },
  ]
  const others = await write(service, 'Others', a1, b1, { ...b1, name: 'Row 3' })
  const ids = others.map(({ id }: { id: string }) => id)
  const kinds = [
    ...PLAIN,
    ...referring('note', notes),
    ...referring('file', files),
    ...referring('record', ids, { structure: 'Others' }),
    ...referring('user', users),
  ]
  const stored = kinds.map(({ spec: { result: _, ...spec } }) => spec)
  const { id: structure } = await declare(service, 'All', [field('name', 'text'), ...stored], {
    label_field: 'name',
  })
  await service.patch('/v1/records/structures/Others', { fields: [...own, { ...to, structure: 'All' }] })
  const all = [...kinds, ...ROLLUPS]
  const fields = [field('name', 'text'), ...stored, ...ROLLUPS.map(({ spec }) => spec)]
  const { status, body } = await service.patch('/v1/records/structures/All', { fields })
  if (status !== 200) throw new Error(body.error)
  const rows = await write(
    service,
    'All',
    { name: 'first', ...written(all, 'first') },
    { name: 'second', ...written(all, 'second') },
    { name: 'none' },
  )
  for (const [at, id] of ids.entries())
    await service.patch(`/v1/records/${id}`, { data: { to: rows[at === 0 ? 0 : 1].id } })
  return { kinds: all, rows: rows.map(({ id }: { id: string }) => id), structure }
}

/** The data of a row to write. */
export const written = (
  kinds: readonly FieldKindCase[],
  values: 'first' | 'second',
): Record<string, unknown> =>
  Object.fromEntries(kinds.filter(isWritten).map((kind) => [kind.spec.key, kind[values]]))
