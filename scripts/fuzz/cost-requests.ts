import {
  GROUP_MATCHES,
  NOTE_FIELDS,
  NOTE_OPERATORS,
  type NoteField,
  ROW_OPERATORS,
  TAG_OPERATORS,
} from '../../src/filter/operators.ts'
import { wordOfRank } from '../bench/corpus.ts'
import type { Random } from '../lib/random.ts'

/*
 * Legal requests of a read-only key that are likely to be expensive: long lists, long texts, deep trees. A request is a
 * tree of parts. Any part can be regenerated, to vary an expensive request slightly.
 */

export interface CostRequest {
  readonly path: string
  /** Parameters of the query, or of the body for a POST. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly isPost: boolean
}

/** The objects that requests refer to. */
export interface Objects {
  readonly tags: readonly number[]
  readonly properties: readonly string[]
  readonly notes: readonly string[]
  readonly file: string
  readonly rows: number
}

const FIELDS: readonly { key: string; type: keyof typeof ROW_OPERATORS }[] = [
  { key: 'title', type: 'text' },
  { key: 'city', type: 'text' },
  { key: 'amount', type: 'number' },
  { key: 'due', type: 'date' },
  { key: 'status', type: 'select' },
  { key: 'paid', type: 'bool' },
  { key: 'remark', type: 'text' },
  { key: 'at', type: 'datetime' },
  { key: 'code', type: 'text' },
  { key: 'created_at', type: 'created_at' },
  { key: '*', type: '*' },
]

const MAX_URL_PART = 40_000

/** Returns a length or count: mostly small, often at the limit. */
const amount = (random: Random, most: number): number =>
  random.chance(0.3)
    ? most
    : random.chance(0.5)
      ? random.between(1, Math.min(3, most))
      : random.between(1, most)

function text(random: Random, most: number): string {
  const unit = random.pick([
    'a',
    'e',
    'ä',
    'İ',
    '図',
    ' ',
    wordOfRank(0),
    wordOfRank(5),
    wordOfRank(15_000),
    '"',
    '%_',
  ])
  const joined = `${unit}${random.pick(['', ' ', 'b'])}`
  const length = amount(random, most)
  return (
    joined
      .repeat(Math.ceil(length / joined.length))
      .slice(0, length)
      .trim() || 'a'
  )
}

const day = (random: Random) =>
  new Date(Date.UTC(2020, 0, random.between(1, 2_500))).toISOString().slice(0, 10)

function operand(random: Random, type: string): unknown {
  if (type === 'number') return random.between(-5, 1_000)
  if (type === 'bool') return random.chance(0.5)
  if (type === 'select') return random.pick(['open', 'waiting', 'done'])
  if (type === 'date') return day(random)
  if (type === 'datetime' || type === 'created_at')
    return random.chance(0.5) ? day(random) : `${day(random)}T09:30:00Z`
  return text(random, type === '*' ? 200 : random.pick([5, 20, 2_000]))
}

const times = <Item>(count: number, make: () => Item) => Array.from({ length: count }, make)

function condition(random: Random): unknown {
  const { key, type } = random.pick(FIELDS)
  const op = random.pick(ROW_OPERATORS[type])
  if (op.endsWith('empty')) return { field: key, op }
  const isList = op === 'in' || op === 'not_in'
  const value = isList ? times(amount(random, 500), () => operand(random, type)) : operand(random, type)
  return { field: key, op, value }
}

function conditions(random: Random): unknown[] {
  const list = times(amount(random, 50), () => condition(random))
  while (JSON.stringify(list).length > MAX_URL_PART && list.length > 1) list.pop()
  return list
}

function leaf(random: Random, { tags, properties }: Objects): unknown {
  const kind = random.pick(['tags', 'field', 'property'])
  if (kind === 'tags')
    return {
      type: kind,
      op: random.pick(TAG_OPERATORS),
      tag_ids: random.some([...tags], amount(random, 500)),
    }
  const field = random.pick(Object.keys(NOTE_FIELDS) as NoteField[])
  const type = kind === 'field' ? NOTE_FIELDS[field] : 'text'
  const op = random.pick(NOTE_OPERATORS[type])
  const place = kind === 'field' ? { type: kind, field } : { type: kind, def_id: random.pick(properties) }
  if (op.endsWith('empty')) return { ...place, op }
  const relative = { relative: { n: random.between(-400, 400), unit: random.pick(['day', 'month', 'year']) } }
  const one = () => (type === 'date' ? (random.chance(0.5) ? day(random) : relative) : text(random, 20_000))
  if (op === 'in' || op === 'not_in')
    return { ...place, op, value: times(amount(random, 500), () => text(random, 50)) }
  if (op === 'between') return { ...place, op, value: [one(), one()] }
  return { ...place, op, value: op === 'within' ? relative : one() }
}

function tree(random: Random, objects: Objects, depth = 3, most = 50): unknown {
  if (depth === 0 || random.chance(0.2)) return leaf(random, objects)
  const count = amount(random, most)
  const children = times(count, () => tree(random, objects, depth - 1, Math.max(1, Math.floor(most / count))))
  return { type: 'group', match: random.pick(GROUP_MATCHES), children }
}

const search = (random: Random) =>
  random.pick([
    () => text(random, 500),
    () =>
      times(amount(random, 60), () => wordOfRank(random.below(30)))
        .join(' ')
        .slice(0, 500),
    () =>
      `"${times(amount(random, 40), () => wordOfRank(random.below(9))).join(' ')}`.slice(0, 490).concat('"'),
    () =>
      times(amount(random, 90), () => `${random.pick(['b', 'ka', 'ma', 'sot'])}*`)
        .join(' ')
        .slice(0, 500),
    () =>
      `${wordOfRank(0)} ${times(amount(random, 60), () => `-${wordOfRank(random.between(20, 2_000))}`).join(' ')}`.slice(
        0,
        500,
      ),
  ])()

type Values = Readonly<Record<string, (random: Random, objects: Objects) => unknown>>

const limit = (most: number) => (random: Random) => random.pick([1, 50, most])
const offset = (random: Random, { rows }: Objects) => random.pick([0, 0, 1_000, Math.floor(rows / 2), rows])
const direction = (random: Random) => random.pick(['asc', 'desc'])
const fieldKey = (random: Random) => random.pick(FIELDS.slice(0, 9)).key
const entries = () => 'entries'

interface Endpoint {
  readonly path: (random: Random, objects: Objects) => string
  readonly isPost?: true
  readonly required: readonly string[]
  readonly values: Values
}

const ENDPOINTS: readonly Endpoint[] = [
  {
    path: () => '/v1/records',
    required: ['structure'],
    values: { structure: entries, filter: conditions, sort: fieldKey, direction, limit: limit(500), offset },
  },
  {
    path: () => '/v1/records/summary',
    required: ['structure'],
    values: {
      structure: entries,
      filter: conditions,
      field: () => 'amount',
      by: fieldKey,
      period: (random) => random.pick(['day', 'week', 'month', 'year']),
      date: (random) => random.pick(['due', 'at', 'created_at']),
      tz: (random) => random.pick(['UTC', 'Asia/Kathmandu', 'America/St_Johns']),
    },
  },
  {
    path: () => '/v1/notes',
    required: [],
    values: {
      search,
      tag: (random) => random.pick(['everywhere', 'some', 'big']),
      sort: (random) => random.pick(['created_at', 'updated_at', 'title']),
      direction,
      limit: limit(200),
      offset,
    },
  },
  {
    path: () => '/v1/notes/query',
    isPost: true,
    required: ['filter'],
    values: { filter: tree, search, limit: limit(200), offset },
  },
  { path: () => '/v1/notes/trash', required: [], values: { limit: limit(200), offset } },
  { path: (random, { notes }) => `/v1/notes/${random.pick(notes)}/links`, required: [], values: {} },
  {
    path: (random, { notes }) => `/v1/notes/${random.pick(notes)}/revisions`,
    required: [],
    values: { limit: limit(200) },
  },
  { path: () => '/v1/graph', required: [], values: {} },
  {
    path: (random) => random.pick(['/v1/tags', '/v1/properties', '/v1/workspace', '/v1/files']),
    required: [],
    values: {},
  },
  { path: () => '/v1/files/search', required: ['q'], values: { q: search, limit: limit(200), offset } },
  {
    path: (_, { file }) => `/v1/files/${file}/text`,
    required: [],
    values: { max_chars: () => 200_000, pages: (random) => random.pick(['1', '1-300', '150-300']) },
  },
]

/** Generates requests, and variants of a request. */
export class CostRequests {
  constructor(
    readonly random: Random,
    readonly objects: Objects,
  ) {}

  next(): CostRequest {
    const { random, objects } = this
    const { path, isPost = false, required, values } = random.pick(ENDPOINTS)
    const parameters: Record<string, unknown> = {}
    for (const [name, make] of Object.entries(values))
      if (required.includes(name) || random.chance(0.4)) parameters[name] = make(random, objects)
    return { path: path(random, objects), parameters, isPost }
  }

  /** Returns the same request with one part added, removed or regenerated. */
  variant(request: CostRequest): CostRequest {
    const { random, objects } = this
    const endpoint = ENDPOINTS.find(
      ({ values, path }) =>
        Object.keys(request.parameters).every((name) => name in values) &&
        path(random, objects).split('/')[2] === request.path.split('/')[2] &&
        path(random, objects).split('/').at(-1) === request.path.split('/').at(-1),
    )
    const names = Object.keys(endpoint?.values ?? {})
    if (!endpoint || names.length === 0) return this.next()
    const name = random.pick(names)
    const { [name]: old, ...others } = request.parameters
    if (old !== undefined && !endpoint.required.includes(name) && random.chance(0.3))
      return { ...request, parameters: others }
    const made =
      Array.isArray(old) && random.chance(0.7) ? this.#changed(old) : endpoint.values[name]?.(random, objects)
    return { ...request, parameters: { ...others, [name]: made } }
  }

  /** Returns a list of conditions with one added, removed or repeated. */
  #changed(list: readonly unknown[]): unknown[] {
    const { random } = this
    const at = random.below(Math.max(1, list.length))
    const changed = random.pick([
      () => list.toSpliced(at, 1),
      () => list.toSpliced(at, 1, condition(random)),
      () => [...list, ...list].slice(0, 50),
    ])()
    return JSON.stringify(changed).length > MAX_URL_PART || changed.length === 0 ? [...list] : changed
  }
}
