import fc from 'fast-check'

/*
 * A second, plain implementation of filter trees, written from the documentation of the API alone: it shares no code
 * with the service. Trees refer to tags and properties by name; `wired` replaces the names with ids.
 */

export const TAGS = ['work', 'home', 'Ärger', 'later'] as const

export const PROPERTIES = {
  note_text: 'text',
  stage: 'select',
  amount: 'number',
  due: 'date',
  done: 'bool',
  extra: 'json',
} as const
export type PropertyKey = keyof typeof PROPERTIES

export interface OracleNote {
  id: string
  title: string
  tags: readonly string[]
  created_at: string
  updated_at: string
  properties: Partial<Record<PropertyKey, unknown>>
}

export type OracleTree =
  | { type: 'group'; match: 'all' | 'any' | 'none'; children: OracleTree[] }
  | { type: 'tags'; op: string; names: string[] }
  | { type: 'property'; key: PropertyKey; op: string; value?: unknown }
  | { type: 'field'; field: 'title' | 'created_at' | 'updated_at'; op: string; value?: unknown }

export interface Ids {
  tags: Record<string, number>
  properties: Record<PropertyKey, string>
}

/** Returns the tree in the format of a request. */
export function wired(tree: OracleTree, ids: Ids): Record<string, unknown> {
  if (tree.type === 'group') return { ...tree, children: tree.children.map((child) => wired(child, ids)) }
  if (tree.type === 'tags')
    return { type: 'tags', op: tree.op, tag_ids: tree.names.map((name) => ids.tags[name]) }
  if (tree.type === 'field') return { ...tree }
  const { key, ...rest } = tree
  return { ...rest, def_id: ids.properties[key] }
}

const lowered = (text: string) =>
  Array.from(text.normalize('NFC'), (character) =>
    character === '\u0130' ? 'i' : character.toLowerCase(),
  ).join('')

/** Whether a note matches; `today` is the UTC day. */
export function matchesTree(note: OracleNote, tree: OracleTree, today: string): boolean {
  switch (tree.type) {
    case 'group': {
      const met = tree.children.filter((child) => matchesTree(note, child, today)).length
      if (tree.match === 'all') return met === tree.children.length
      return tree.match === 'any' ? met > 0 : met === 0
    }
    case 'tags': {
      const carried = tree.names.filter((name) => note.tags.includes(name)).length
      if (tree.op === 'has_all') return carried === tree.names.length
      return tree.op === 'has_any' ? carried > 0 : carried === 0
    }
    case 'property':
      return matches(PROPERTIES[tree.key], note.properties[tree.key], tree.op, tree.value, today)
    case 'field':
      return tree.field === 'title'
        ? matches('text', note.title, tree.op, tree.value, today)
        : matches('date', note[tree.field].slice(0, 10), tree.op, tree.value, today)
  }
}

function matches(type: string, held: unknown, op: string, value: unknown, today: string): boolean {
  if (op === 'empty') return held === undefined
  if (op === 'not_empty') return held !== undefined
  const opposite = { neq: 'eq', not_in: 'in', not_contains: 'contains' }[op]
  if (opposite) return !matches(type, held, opposite, value, today)
  if (held === undefined) return false
  if (type === 'date') return matchesDay(String(held), op, value, today)
  if (type === 'number') return matchesNumber(held as number, op, value)
  if (type === 'json') return matchesJson(held, op, value)
  if (type === 'bool') return held === value
  return matchesText(String(held), op, value)
}

function matchesText(held: string, op: string, value: unknown): boolean {
  if (op === 'eq') return held === value
  if (op === 'in') return (value as string[]).includes(held)
  const needle = lowered(String(value))
  if (op === 'contains') return lowered(held).includes(needle)
  return op === 'starts_with' ? lowered(held).startsWith(needle) : lowered(held).endsWith(needle)
}

function matchesNumber(held: number, op: string, value: unknown): boolean {
  if (op === 'between') {
    const [low, high] = value as [number, number]
    return held >= low && held <= high
  }
  const other = value as number
  const tests: Record<string, boolean> = {
    eq: held === other,
    gt: held > other,
    gte: held >= other,
    lt: held < other,
    lte: held <= other,
  }
  return tests[op] ?? false
}

const daysSince = (day: string) => Date.parse(`${day}T00:00:00Z`) / 86_400_000

/** Returns a number that orders days, including days beyond four-digit years. */
function dayNumber(value: unknown, today: string): number {
  if (typeof value === 'string') return daysSince(value)
  const { n, unit } = (value as { relative: { n: number; unit: string } }).relative
  if (unit === 'day' || unit === 'week') return daysSince(today) + n * (unit === 'week' ? 7 : 1)
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number)
  const months = year * 12 + (month - 1) + (unit === 'year' ? n * 12 : n)
  const [toYear, toMonth] = [Math.floor(months / 12), ((months % 12) + 12) % 12]
  let clamped = day
  while (
    new Date(Date.UTC(2000 + (((toYear % 400) + 400) % 400), toMonth, clamped)).getUTCMonth() !== toMonth
  )
    clamped -= 1
  const instant = new Date(0)
  instant.setUTCFullYear(toYear, toMonth, clamped)
  return instant.getTime() / 86_400_000
}

function matchesDay(held: string, op: string, value: unknown, today: string): boolean {
  const day = daysSince(held)
  if (op === 'between') {
    const [low, high] = value as [unknown, unknown]
    return day >= dayNumber(low, today) && day <= dayNumber(high, today)
  }
  const other = dayNumber(value, today)
  const now = daysSince(today)
  const tests: Record<string, boolean> = {
    on: day === other,
    before: day < other,
    after: day > other,
    on_or_before: day <= other,
    on_or_after: day >= other,
    within: day >= Math.min(now, other) && day <= Math.max(now, other),
  }
  return tests[op] ?? false
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON with sorted object keys: equal texts mean equal values. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isPlain(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)
  return `{${members.sort().join()}}`
}

function matchesJson(held: unknown, op: string, value: unknown): boolean {
  if (op === 'has_key') return isPlain(held) && Object.keys(held).includes(String(value))
  if (Array.isArray(held)) return held.some((member) => canonical(member) === canonical(value))
  if (!isPlain(held)) return canonical(held) === canonical(value)
  if (!isPlain(value)) return false
  const pairs = Object.entries(held).map(([key, member]) => canonical([key, member]))
  return Object.entries(value).every(([key, member]) => pairs.includes(canonical([key, member])))
}

export interface OracleSort {
  field: 'created_at' | 'updated_at' | 'title' | 'property'
  direction: 'asc' | 'desc'
  property?: PropertyKey
}

const compare = <Value>(left: Value, right: Value) => (left < right ? -1 : left > right ? 1 : 0)
const points = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0)

function compareTexts(left: string, right: string): number {
  const [a, b] = [points(lowered(left)), points(lowered(right))]
  const at = a.findIndex((point, index) => point !== b[index])
  return at === -1 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1)
}

/** Sorts notes as a view does: notes without a value last, equal notes by id in the same direction. */
export function inOrder(
  notes: readonly OracleNote[],
  { field, direction, property }: OracleSort,
): OracleNote[] {
  const sign = direction === 'asc' ? 1 : -1
  const sortedBy = (note: OracleNote): unknown =>
    field === 'property' ? note.properties[property as PropertyKey] : note[field]
  const compareValues = (left: unknown, right: unknown) => {
    if (typeof left !== 'string' || typeof right !== 'string') return compare(left as number, right as number)
    return compareTexts(left, right)
  }
  return [...notes].sort((left, right) => {
    const [a, b] = [sortedBy(left), sortedBy(right)]
    if ((a === undefined) !== (b === undefined)) return a === undefined ? 1 : -1
    const byValue = a === undefined ? 0 : compareValues(a, b)
    return sign * (byValue || compare(left.id, right.id))
  })
}

const TEXTS = [
  '',
  'a',
  'A',
  'ab',
  'Ab',
  'b%',
  '%',
  '_',
  '\\',
  'É',
  'é',
  'e\u0301',
  'Σ',
  'ς',
  'İ',
  'i',
  'K',
  'k',
  'ß',
  'ẞ',
  '日本',
  '日',
  '😀',
  '\uffee',
  '𐐀',
  '𐐨',
  "'",
  '"',
  'null',
] as const // prettier-ignore
const NUMBERS = [0, -0, 1, -1, 5, 0.1, 0.30000000000000004, -2.5, 1e21, 1e-7, 2 ** 53, 10, 1 / 3]
const DAYS = [
  '0000-01-01',
  '1999-12-31',
  '2026-10-31',
  '2026-11-14',
  '2026-11-20',
  '2026-11-21',
  '2026-11-22',
  '2026-11-30',
  '2027-02-28',
  '9999-12-31',
] // prettier-ignore
const JSONS: unknown[] = [
  0,
  1,
  'a',
  'A',
  '',
  true,
  false,
  [],
  {},
  [1],
  [1, 2],
  ['a', null],
  [[1]],
  [{ a: 1, b: 2 }],
  { a: 1 },
  { a: null },
  { a: 1, b: [1, 2] },
  { b: { c: 1, d: 2 } },
  { A: 1 },
  JSON.parse('{"__proto__": 1}'),
  { constructor: {} },
  { 'a"b': 'x' },
  { '10': 1, '2': 1 },
] // prettier-ignore
const KEYS = ['a', 'A', 'b', '__proto__', 'constructor', 'length', '0', 'a"b', '10', 'toString']
export const STAGES = ['open', 'Open', 'done', 'émigré', 'a%']

const VALUES: Record<PropertyKey, readonly unknown[]> = {
  note_text: TEXTS,
  stage: STAGES,
  amount: NUMBERS,
  due: DAYS,
  done: [true, false],
  extra: JSONS,
}

const arbitraryValue = (key: PropertyKey) => fc.constantFrom(...VALUES[key])

export const arbitraryNote = fc.record({
  title: fc.constantFrom<string>(...TEXTS.filter((text) => text !== ''), 'Open', 'aB'),
  tags: fc.subarray([...TAGS]),
  properties: fc.record(
    Object.fromEntries(
      (Object.keys(PROPERTIES) as PropertyKey[]).map((key) => [key, arbitraryValue(key)]),
    ) as Record<PropertyKey, fc.Arbitrary<unknown>>,
    { requiredKeys: [] },
  ),
  /** Days that pass before the note is created. */
  daysLater: fc.constantFrom(0, 0, 0, 1, 9),
  isTrashed: fc.constantFrom(false, false, false, false, true),
})
export type NewOracleNote = typeof arbitraryNote extends fc.Arbitrary<infer Value> ? Value : never

interface Condition {
  op: string
  value?: unknown
}

const each = (ops: readonly string[], values: readonly unknown[]): Condition[] =>
  ops.flatMap((op) => values.map((value) => ({ op, value })))
const pairsOf = (values: readonly unknown[]) =>
  values.flatMap((low) => values.map((high) => [low, high] as const))

const BARE: Condition[] = [{ op: 'empty' }, { op: 'not_empty' }]

const textConditions = (texts: readonly string[]): Condition[] => [
  ...BARE,
  ...each(['eq', 'neq', 'contains', 'not_contains', 'starts_with', 'ends_with'], texts),
  ...each(['in', 'not_in'], [[], ...texts.map((text, at) => [text, texts[at + 1] ?? '']), texts]),
]

const SHIFTS = [0, 1, -1, 3, -7, 9, -9, 12, 100_000, -100_000].flatMap((n) =>
  ['day', 'week', 'month', 'year'].map((unit) => ({ relative: { n, unit } })),
)
const dateConditions: Condition[] = [
  ...BARE,
  ...each(['on', 'before', 'after', 'on_or_before', 'on_or_after'], [...DAYS, ...SHIFTS]),
  ...each(['between'], pairsOf([...DAYS.slice(2, 8), ...SHIFTS.slice(0, 3)])),
  ...each(['within'], SHIFTS),
]

const CONDITIONS: Record<PropertyKey, Condition[]> = {
  note_text: textConditions(TEXTS),
  stage: textConditions([...STAGES, '', 'o', 'É', 'e\u0301']),
  amount: [
    ...BARE,
    ...each(['eq', 'neq', 'gt', 'gte', 'lt', 'lte'], NUMBERS),
    ...each(['between'], pairsOf(NUMBERS)),
  ],
  due: dateConditions,
  done: [...BARE, ...each(['eq'], [true, false])],
  extra: [...BARE, ...each(['has_key'], KEYS), ...each(['contains'], [...JSONS, null])],
}

/** Every condition on a property or field that the values above allow: each operator with each value. */
export const EVERY_CONDITION: OracleTree[] = [
  ...(Object.keys(PROPERTIES) as PropertyKey[]).flatMap((key) =>
    CONDITIONS[key].map((rest) => ({ type: 'property' as const, key, ...rest })),
  ),
  ...textConditions(TEXTS).map((rest) => ({ type: 'field' as const, field: 'title' as const, ...rest })),
  ...(['created_at', 'updated_at'] as const).flatMap((field) =>
    dateConditions.map((rest) => ({ type: 'field' as const, field, ...rest })),
  ),
]

/** Makes all targets equally likely, however many conditions each has, and likewise the operators of a target. */
const byTargetAndOp = Map.groupBy(EVERY_CONDITION, (leaf) =>
  leaf.type === 'property'
    ? `${leaf.key} ${leaf.op}`
    : leaf.type === 'field'
      ? `${leaf.field} ${leaf.op}`
      : '',
)

const arbitraryLeaf: fc.Arbitrary<OracleTree> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('tags' as const),
      op: fc.constantFrom('has_all', 'has_any', 'has_none'),
      names: fc.subarray([...TAGS], { minLength: 1 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom(...byTargetAndOp.values()).chain((leaves) => fc.constantFrom(...leaves)),
  },
)

const arbitraryGroup = (levels: number): fc.Arbitrary<OracleTree> =>
  fc.record({
    type: fc.constant('group' as const),
    match: fc.constantFrom('all' as const, 'any' as const, 'none' as const),
    children: fc.array(levels > 1 ? fc.oneof(arbitraryLeaf, arbitraryGroup(levels - 1)) : arbitraryLeaf, {
      maxLength: 3,
    }),
  })

/** A leaf, or groups of up to four levels. */
export const arbitraryTree: fc.Arbitrary<OracleTree> = fc.oneof(arbitraryLeaf, arbitraryGroup(4))

export const arbitrarySort: fc.Arbitrary<OracleSort> = fc.record({
  field: fc.constantFrom('created_at', 'updated_at', 'title'),
  direction: fc.constantFrom('asc', 'desc'),
})
export const arbitraryPropertySort: fc.Arbitrary<OracleSort> = fc.record({
  field: fc.constant('property'),
  direction: fc.constantFrom('asc', 'desc'),
  property: fc.constantFrom('note_text', 'stage', 'amount', 'due', 'done'),
})
