import { codePointLength, compareCodePoints } from '../text.ts'
import { addDays, addMonths, dayOf, daysBetween, partsOf } from './days.ts'
import { finite, modulo, roundDecimal } from './numbers.ts'
import { contains, leftOf, middleOf, numberIn, rightOf, substitute } from './texts.ts'
import { type FormulaValue, type ResultType, textOf } from './values.ts'

/*
 * The operators and functions of the formula language, one per entry. Values are null for blank. A strict function is
 * blank if one of its arguments is.
 */

/** `same`: all such parameters have one type. `day`: a date or a datetime. */
export type ParameterType = ResultType | 'any' | 'same' | 'day'

export interface FunctionRules {
  /** The last one repeats, up to `most` arguments. */
  readonly parameters: readonly ParameterType[]
  readonly least: number
  readonly most: number
  readonly result: ResultType | 'same'
  readonly isStrict: boolean
  /** The arguments have the declared types; a strict function gets no null. */
  readonly run: (...args: never[]) => FormulaValue
  /** As the editor shows it. */
  readonly form: string
}

/** No text of an evaluation is longer, in UTF-16 units. */
const MAX_LENGTH = 1_000_000

type Run<Arg> = (...args: Arg[]) => FormulaValue

const strict = (
  form: string,
  parameters: readonly ParameterType[],
  result: ResultType,
  run: (...args: never[]) => FormulaValue,
  least = parameters.length,
): FunctionRules => ({ form, parameters, least, most: parameters.length, result, isStrict: true, run })

const numeric = (form: string, count: number, run: Run<number>): FunctionRules =>
  strict(form, Array<'number'>(count).fill('number'), 'number', run)

/** For functions that take blanks. */
const lenient = (
  form: string,
  parameters: readonly ParameterType[],
  result: ResultType | 'same',
  run: (...args: never[]) => FormulaValue,
  { least = parameters.length, most = parameters.length } = {},
): FunctionRules => ({ form, parameters, least, most, result, isStrict: false, run })

const compared = (symbol: string, isMet: (order: number) => boolean): FunctionRules =>
  strict(symbol, ['same', 'same'], 'bool', (one: NonNullable<FormulaValue>, other: typeof one) =>
    isMet(typeof one === 'string' ? compareCodePoints(one, String(other)) : Number(one) - Number(other)),
  )

const joined = (one: FormulaValue, other: FormulaValue): FormulaValue => {
  const text = (one === null ? '' : textOf(one)) + (other === null ? '' : textOf(other))
  return text.length > MAX_LENGTH ? null : text
}

/** Binary operators by symbol. */
export const OPERATORS: Readonly<Record<string, FunctionRules & { readonly strength: number }>> = {
  '^': { strength: 6, ...numeric('^', 2, (base = 0, power = 0) => finite(base ** power)) },
  '*': { strength: 5, ...numeric('*', 2, (one = 0, other = 0) => finite(one * other)) },
  '/': { strength: 5, ...numeric('/', 2, (one = 0, other = 0) => finite(one / other)) },
  '+': { strength: 4, ...numeric('+', 2, (one = 0, other = 0) => finite(one + other)) },
  '-': { strength: 4, ...numeric('-', 2, (one = 0, other = 0) => finite(one - other)) },
  '&': { strength: 3, ...lenient('&', ['any', 'any'], 'text', joined) },
  '=': { strength: 2, ...lenient('=', ['same', 'same'], 'bool', (one, other) => one === other) },
  '<>': { strength: 2, ...lenient('<>', ['same', 'same'], 'bool', (one, other) => one !== other) },
  '<': { strength: 2, ...compared('<', (order) => order < 0) },
  '<=': { strength: 2, ...compared('<=', (order) => order <= 0) },
  '>': { strength: 2, ...compared('>', (order) => order > 0) },
  '>=': { strength: 2, ...compared('>=', (order) => order >= 0) },
}

/** The unary minus, which is stronger than any other operator. */
export const NEGATION = numeric('-', 1, (value = 0) => finite(-value))

const MOST_CONDITIONS = 20
/** As many as an expression can hold. */
const MANY = 1_000

const valued = (args: readonly (number | null)[]): number[] => args.filter((arg) => arg !== null)

const least = (values: readonly number[]): number =>
  values.reduce((found, value) => Math.min(found, value), Number.POSITIVE_INFINITY)

const overNumbers = (form: string, run: (values: readonly number[]) => number): FunctionRules =>
  lenient(form, ['number'], 'number', (...args: (number | null)[]) => finite(run(valued(args))), {
    least: 1,
    most: MANY,
  })

/** Functions by name. */
export const FUNCTIONS: Readonly<Record<string, FunctionRules>> = {
  IF: lenient(
    'IF(test, then[, else])',
    ['bool', 'same', 'same'],
    'same',
    (test: FormulaValue, then: FormulaValue, otherwise: FormulaValue = null) =>
      test === true ? then : otherwise,
    { least: 2, most: 3 },
  ),
  AND: lenient('AND(test, …)', ['bool'], 'bool', (...tests) => tests.every((test) => test === true), {
    least: 1,
    most: MOST_CONDITIONS,
  }),
  OR: lenient('OR(test, …)', ['bool'], 'bool', (...tests) => tests.some((test) => test === true), {
    least: 1,
    most: MOST_CONDITIONS,
  }),
  NOT: lenient('NOT(test)', ['bool'], 'bool', (test: FormulaValue) => test !== true),
  ISBLANK: lenient('ISBLANK(x)', ['any'], 'bool', (value) => value === null),
  COALESCE: lenient(
    'COALESCE(x, …)',
    ['same'],
    'same',
    (...values: FormulaValue[]) => values.find((value) => value !== null) ?? null,
    { least: 1, most: MOST_CONDITIONS },
  ),
  ROUND: strict(
    'ROUND(n[, digits])',
    ['number', 'number'],
    'number',
    (value: number, digits = 0) => roundDecimal(value, Math.trunc(digits)),
    1,
  ),
  FLOOR: numeric('FLOOR(n)', 1, (value = 0) => finite(Math.floor(value))),
  CEILING: numeric('CEILING(n)', 1, (value = 0) => finite(Math.ceil(value))),
  ABS: numeric('ABS(n)', 1, (value = 0) => Math.abs(value)),
  MOD: numeric('MOD(n, divisor)', 2, (value = 0, divisor = 0) => modulo(value, divisor)),
  SQRT: numeric('SQRT(n)', 1, (value = 0) => finite(Math.sqrt(value))),
  MIN: overNumbers('MIN(n, …)', least),
  MAX: overNumbers('MAX(n, …)', (values) => -least(values.map((value) => -value))),
  SUM: overNumbers('SUM(n, …)', (values) => values.reduce((sum, value) => sum + value, 0)),
  LEN: strict('LEN(t)', ['text'], 'number', (text: string) => codePointLength(text)),
  LOWER: strict('LOWER(t)', ['text'], 'text', (text: string) => text.toLowerCase()),
  UPPER: strict('UPPER(t)', ['text'], 'text', (text: string) => text.toUpperCase()),
  TRIM: strict('TRIM(t)', ['text'], 'text', (text: string) => text.trim()),
  LEFT: strict('LEFT(t, n)', ['text', 'number'], 'text', leftOf),
  RIGHT: strict('RIGHT(t, n)', ['text', 'number'], 'text', rightOf),
  MID: strict('MID(t, start, n)', ['text', 'number', 'number'], 'text', middleOf),
  SUBSTITUTE: strict(
    'SUBSTITUTE(t, old, new)',
    ['text', 'text', 'text'],
    'text',
    (text: string, old: string, replacement: string) => substitute(text, old, replacement, MAX_LENGTH),
  ),
  CONTAINS: strict('CONTAINS(t, part)', ['text', 'text'], 'bool', contains),
  TEXT: strict('TEXT(x)', ['any'], 'text', textOf),
  VALUE: strict('VALUE(t)', ['text'], 'number', numberIn),
  DATE: strict('DATE(y, m, d)', ['number', 'number', 'number'], 'date', dayOf),
  YEAR: strict('YEAR(d)', ['day'], 'number', (day: string) => partsOf(day)[0]),
  MONTH: strict('MONTH(d)', ['day'], 'number', (day: string) => partsOf(day)[1]),
  DAY: strict('DAY(d)', ['day'], 'number', (day: string) => partsOf(day)[2]),
  DAYS: strict('DAYS(later, earlier)', ['date', 'date'], 'number', daysBetween),
  ADDDAYS: strict('ADDDAYS(d, n)', ['date', 'number'], 'date', addDays),
  ADDMONTHS: strict('ADDMONTHS(d, n)', ['date', 'number'], 'date', addMonths),
}

/** The constants by name. */
export const CONSTANTS: ReadonlyMap<string, FormulaValue> = new Map([
  ['TRUE', true],
  ['FALSE', false],
  ['BLANK', null],
])
