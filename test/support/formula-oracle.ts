import fc from 'fast-check'

/*
 * A second reading of the formula language: random trees of typed nodes, their text, and their value by direct
 * recursion over the tree. It shares no code with `src/lib/formula`.
 */

export type Value = string | number | boolean | null
export type Type = 'text' | 'number' | 'bool' | 'date' | 'datetime'

export interface Node {
  readonly is: string
  readonly args: readonly Node[]
  readonly value?: Value
}

/** A field of each type, two of some. */
export const FIELDS: Readonly<Record<string, Type>> = {
  n: 'number',
  m: 'number',
  t: 'text',
  u: 'text',
  b: 'bool',
  d: 'date',
  e: 'date',
  w: 'datetime',
}

const node = (is: string, ...args: Node[]): Node => ({ is, args })
const leaf = (is: string, value: Value): Node => ({ is, args: [], value })

const WORDS = ['', 'a', 'Abc', ' b ', 'ß', '𝒳y𝒳', 'e\u0301', '12', '-1.50', '7x', '"', 'aa', 'A']

const FIELD_OF = (type: Type) =>
  fc.constantFrom(
    ...Object.keys(FIELDS)
      .filter((key) => FIELDS[key] === type)
      .map((key) => leaf('field', key)),
  )

type Trees = Record<Type, fc.Arbitrary<Node>>

const literals: Record<Type, fc.Arbitrary<Node>> = {
  number: fc
    .constantFrom(0, 1, 2, 3, 5, 7, 10, 0.5, 1.005, 2.675, 31, 2024)
    .map((value) => leaf('literal', value)),
  text: fc.constantFrom(...WORDS).map((value) => leaf('literal', value)),
  bool: fc.boolean().map((value) => leaf('literal', value)),
  date: FIELD_OF('date'),
  datetime: FIELD_OF('datetime'),
}

/** Trees of each type, at most this deep. */
function trees(depth: number): Trees {
  const simple = (type: Type) => fc.oneof(FIELD_OF(type), literals[type])
  const types = Object.keys(literals) as Type[]
  if (depth === 0) return Object.fromEntries(types.map((type) => [type, simple(type)])) as Trees
  const of = trees(depth - 1)
  const call = (is: string, ...args: Type[]) =>
    fc.tuple(...args.map((type) => of[type])).map((found) => node(is, ...found))
  const many = (is: string, type: Type) =>
    fc.array(of[type], { minLength: 1, maxLength: 3 }).map((found) => node(is, ...found))
  const shared = (type: Type) => [
    fc.tuple(of.bool, of[type], of[type]).map((args) => node('IF', ...args)),
    fc.tuple(of.bool, of[type]).map((args) => node('IF', ...args)),
    fc.tuple(of.bool, of[type]).map(([test, one]) => node('IF', test, leaf('literal', null), one)),
    many('COALESCE', type),
  ]
  const any = fc.oneof(...types.map((type) => of[type]))
  const pair = fc.oneof(...types.map((type) => fc.tuple(of[type], of[type])))
  return {
    number: fc.oneof(
      simple('number'),
      ...['+', '-', '*', '/', '^', 'MOD'].map((is) => call(is, 'number', 'number')),
      ...['NEG', 'FLOOR', 'CEILING', 'ABS', 'SQRT', 'ROUND'].map((is) => call(is, 'number')),
      fc
        .tuple(of.number, fc.integer({ min: -3, max: 4 }))
        .map(([value, digits]) => node('ROUND', value, numberNode(digits))),
      ...['MIN', 'MAX', 'SUM'].map((is) => many(is, 'number')),
      ...['LEN', 'VALUE'].map((is) => call(is, 'text')),
      ...['YEAR', 'MONTH', 'DAY'].flatMap((is) => [call(is, 'date'), call(is, 'datetime')]),
      call('DAYS', 'date', 'date'),
      ...shared('number'),
    ),
    text: fc.oneof(
      simple('text'),
      fc.tuple(any, any).map((args) => node('&', ...args)),
      ...['LOWER', 'UPPER', 'TRIM'].map((is) => call(is, 'text')),
      ...['LEFT', 'RIGHT'].map((is) => call(is, 'text', 'number')),
      call('MID', 'text', 'number', 'number'),
      call('SUBSTITUTE', 'text', 'text', 'text'),
      any.map((arg) => node('TEXT', arg)),
      ...shared('text'),
    ),
    bool: fc.oneof(
      simple('bool'),
      ...['=', '<>', '<', '<=', '>', '>='].map((is) => pair.map((args) => node(is, ...args))),
      many('AND', 'bool'),
      many('OR', 'bool'),
      call('NOT', 'bool'),
      call('CONTAINS', 'text', 'text'),
      any.map((arg) => node('ISBLANK', arg)),
      ...shared('bool'),
    ),
    date: fc.oneof(
      simple('date'),
      call('DATE', 'number', 'number', 'number'),
      ...['ADDDAYS', 'ADDMONTHS'].map((is) =>
        fc
          .tuple(of.date, fc.integer({ min: -40, max: 40 }))
          .map(([date, count]) => node(is, date, numberNode(count))),
      ),
      ...shared('date'),
    ),
    datetime: fc.oneof(simple('datetime'), ...shared('datetime')),
  }
}

const numberNode = (value: number): Node =>
  value < 0 ? node('NEG', leaf('literal', -value)) : leaf('literal', value)

export const arbitraryTree = fc.oneof(...Object.values(trees(3)))

const STRENGTH: Readonly<Record<string, number>> = {
  ...{ NEG: 7, '^': 6, '*': 5, '/': 5, '+': 4, '-': 4, '&': 3 },
  ...{ '=': 2, '<>': 2, '<': 2, '<=': 2, '>': 2, '>=': 2 },
}

/** The text of a tree, with parentheses only where they are needed, unless `pad` adds more. */
export function write(tree: Node, pad: (text: string) => string = (text) => text, strength = 0): string {
  const { is, args, value } = tree
  const [one, other] = args
  const own = STRENGTH[is]
  const text = (() => {
    if (is === 'field') return `{${value}}`
    if (is === 'literal') {
      if (value === null) return 'Blank'
      return typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : String(value)
    }
    if (is === 'NEG' && one) return `-${write(one, pad, own)}`
    if (own !== undefined && one && other)
      return `${write(one, pad, own)} ${is} ${write(other, pad, own + 1)}`
    return `${is}(${args.map((arg) => write(arg, pad)).join(', ')})`
  })()
  return own !== undefined && own < strength ? `(${text})` : pad(text)
}

const json = (value: Value): string => (typeof value === 'string' ? value : JSON.stringify(value))
const clean = (value: number): Value => (Number.isFinite(value) ? (value === 0 ? 0 : value) : null)
const points = (text: string): string[] => Array.from(text)

/** Rounds in integers of the last digit that JSON writes. */
function round(value: number, digits: number): Value {
  const [mantissa = '', exponent = '0'] = JSON.stringify(Math.abs(value)).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const places = fraction.length - Number(exponent)
  if (places <= digits) return value
  const unit = 10n ** BigInt(places - digits)
  const all = BigInt(whole + fraction)
  const rounded = all / unit + ((all % unit) * 2n >= unit ? 1n : 0n)
  return clean(Math.sign(value) * Number(`${rounded}e${-digits}`))
}

const stamp = (year: number, month: number, day: number): Date => {
  const date = new Date('2000-01-01T00:00:00Z')
  date.setUTCFullYear(year, month, day)
  return date
}

function written(date: Date): Value {
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date.toISOString().slice(0, 10) : null
}

const parse = (text: Value): [number, number, number] =>
  String(text).slice(0, 10).split('-').map(Number) as [number, number, number]

/** Text by code point, everything else by value. */
function order(one: Value, other: Value): number {
  if (typeof one !== 'string' || typeof other !== 'string') return Number(one) - Number(other)
  const [left, right] = [points(one), points(other)]
  for (const [at, point] of left.entries()) {
    const there = right[at]
    if (there === undefined) return 1
    const difference = (point.codePointAt(0) ?? 0) - (there.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

const TAKES_BLANK = new Set('IF AND OR NOT ISBLANK COALESCE MIN MAX SUM & = <>'.split(' '))

/** The value of a tree for a row. */
export function treeValue({ is, args, value = null }: Node, row: Readonly<Record<string, Value>>): Value {
  if (is === 'literal') return value
  if (is === 'field') return row[String(value)] ?? null
  const values = args.map((arg) => treeValue(arg, row))
  if (!TAKES_BLANK.has(is) && values.includes(null)) return null
  const [a = null, b = null, c = null] = values
  const [x, y] = [Number(a), Number(b)]
  const numbers = values.filter((one) => one !== null).map(Number)
  switch (is) {
    case 'NEG':
      return clean(-x)
    case '+':
      return clean(x + y)
    case '-':
      return clean(x - y)
    case '*':
      return clean(x * y)
    case '/':
      return clean(x / y)
    case '^':
      return clean(x ** y)
    case 'MOD': {
      const rest = x % y
      return clean(rest !== 0 && Math.sign(rest) !== Math.sign(y) ? rest + y : rest)
    }
    case 'FLOOR':
      return clean(Math.floor(x))
    case 'CEILING':
      return clean(Math.ceil(x))
    case 'ABS':
      return Math.abs(x)
    case 'SQRT':
      return clean(Math.sqrt(x))
    case 'ROUND':
      return round(x, y)
    case 'MIN':
      return numbers.length > 0 ? clean(Math.min(...numbers)) : null
    case 'MAX':
      return numbers.length > 0 ? clean(Math.max(...numbers)) : null
    case 'SUM':
      return clean(numbers.reduce((sum, one) => sum + one, 0))
    case 'LEN':
      return points(String(a)).length
    case 'VALUE':
      return /^-?[0-9]+(\.[0-9]+)?$/.test(String(a).trim()) ? clean(Number(String(a).trim())) : null
    case 'LOWER':
      return String(a).toLowerCase()
    case 'UPPER':
      return String(a).toUpperCase()
    case 'TRIM':
      return String(a).trim()
    case 'LEFT':
      return points(String(a))
        .slice(0, Math.max(0, Math.trunc(y)))
        .join('')
    case 'RIGHT': {
      const count = Math.max(0, Math.trunc(y))
      return count === 0 ? '' : points(String(a)).slice(-count).join('')
    }
    case 'MID': {
      const start = Math.max(1, Math.trunc(y))
      return points(String(a))
        .slice(start - 1, start - 1 + Math.max(0, Math.trunc(Number(c))))
        .join('')
    }
    case 'SUBSTITUTE':
      return b === '' ? a : String(a).split(String(b)).join(String(c))
    case 'CONTAINS': {
      const lower = (text: Value) => String(text).normalize('NFC').toLowerCase()
      return lower(a).includes(lower(b))
    }
    case 'TEXT':
      return json(a)
    case '&':
      return (a === null ? '' : json(a)) + (b === null ? '' : json(b))
    case '=':
      return a === b
    case '<>':
      return a !== b
    case '<':
      return order(a, b) < 0
    case '<=':
      return order(a, b) <= 0
    case '>':
      return order(a, b) > 0
    case '>=':
      return order(a, b) >= 0
    case 'IF':
      return a === true ? b : c
    case 'AND':
      return !values.some((one) => one !== true)
    case 'OR':
      return values.includes(true)
    case 'NOT':
      return a !== true
    case 'ISBLANK':
      return a === null
    case 'COALESCE':
      return values.find((one) => one !== null) ?? null
    case 'DATE': {
      if (!values.every(Number.isInteger) || x < 1 || x > 9999 || y < 1 || y > 12) return null
      const date = stamp(x, y - 1, Number(c))
      return date.getUTCMonth() === y - 1 && date.getUTCDate() === c ? written(date) : null
    }
    case 'YEAR':
      return parse(a)[0]
    case 'MONTH':
      return parse(a)[1]
    case 'DAY':
      return parse(a)[2]
    case 'DAYS': {
      const at = (text: Value) => {
        const [year, month, day] = parse(text)
        return stamp(year, month - 1, day).getTime()
      }
      return (at(a) - at(b)) / 86_400_000
    }
    case 'ADDDAYS': {
      const [year, month, day] = parse(a)
      return written(stamp(year, month - 1, day + Math.trunc(y)))
    }
    case 'ADDMONTHS': {
      const [year, month, day] = parse(a)
      const last = stamp(year, month + Math.trunc(y), 0)
      return written(stamp(last.getUTCFullYear(), last.getUTCMonth(), Math.min(day, last.getUTCDate())))
    }
  }
  throw new Error(`unknown: ${is}`)
}

const DAYS = ['2024-02-29', '2023-01-31', '0001-01-01', '9999-12-31', '2024-12-01']

/** A row; any field may be blank. */
export const arbitraryRow: fc.Arbitrary<Record<string, Value>> = fc.record(
  {
    n: fc.oneof(fc.integer({ min: -20, max: 20 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
    m: fc.constantFrom(0, 1, -1, 2.5, 1e21, 1e-7, 3),
    t: fc.constantFrom(...WORDS),
    u: fc.string({ unit: 'grapheme', maxLength: 6 }),
    b: fc.boolean(),
    d: fc.constantFrom(...DAYS),
    e: fc.constantFrom(...DAYS),
    w: fc.constantFrom('2024-02-29T23:59:59.999Z', '1970-01-01T00:00:00.000Z'),
  },
  { requiredKeys: [] },
)
