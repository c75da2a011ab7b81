import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { compile } from '../../src/lib/formula/compile.ts'
import { evaluate } from '../../src/lib/formula/evaluate.ts'
import { FormulaError } from '../../src/lib/formula/values.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import {
  arbitraryRow,
  arbitraryTree,
  FIELDS,
  treeValue,
  type Value,
  write,
} from '../support/formula-oracle.ts'

const ROW = {
  ...{ n: 5, m: -2.5, t: 'Grüße 𝒳!', u: ' a ', b: true },
  ...{ d: '2024-01-31', e: '2023-12-31', w: '2024-02-29T23:30:00.000Z' },
}

const typed = (expression: string) =>
  compile(expression, (key) => (Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined))

const result = (expression: string, row: Readonly<Record<string, Value>> = ROW): Value =>
  evaluate(typed(expression), (key) => row[key] ?? null)

describe('an expression', () => {
  test.each<[string, Value]>([
    // Literals.
    ['1', 1],
    ['1.5', 1.5],
    ['"a ""quoted"" text"', 'a "quoted" text'],
    ['true', true],
    ['False', false],
    ['IF(FALSE, 1, blank)', null],
    // Precedence.
    ['-2^2', 4],
    ['2^3^2', 64],
    ['2^-1', 0.5],
    ['0^0', 1],
    ['--2', 2],
    ['2+3*4', 14],
    ['(2+3)*4', 20],
    ['10-4-3', 3],
    ['8/4/2', 1],
    ['1+1&"x"', '2x'],
    ['"a"&"b"="ab"', true],
    ['1<2=TRUE', true],
    ['{n}\n*\t{m}', -12.5],
    // Blanks.
    ['{n}+IF(FALSE,1)', null],
    ['IF(FALSE,1)<1', null],
    ['"a"&IF(FALSE,"b")', 'a'],
    ['BLANK&BLANK', ''],
    ['BLANK=IF(FALSE,1)', true],
    ['BLANK<>1', true],
    ['AND(TRUE,BLANK)', false],
    ['OR(BLANK,TRUE)', true],
    ['NOT(BLANK)', true],
    ['IF(BLANK,1,2)', 2],
    ['ISBLANK(BLANK)', true],
    ['ISBLANK("")', false],
    ['COALESCE(BLANK,BLANK,3)', 3],
    ['MIN(BLANK,3,2)', 2],
    ['MAX(BLANK,3,2)', 3],
    ['SUM(BLANK,3,2)', 5],
    ['SUM(BLANK)', 0],
    ['MIN(BLANK)', null],
    ['MAX(BLANK)', null],
    ['LEN(BLANK)', null],
    ['TEXT(BLANK)', null],
    ['1/0', null],
    ['0/0', null],
    ['MOD(1,0)', null],
    ['10^400', null],
    ['SQRT(-1)', null],
    ['VALUE("none")', null],
    ['DATE(2023,2,29)', null],
    // Numbers.
    ['ROUND(1.005,2)', 1.01],
    ['ROUND(2.5)', 3],
    ['ROUND(-2.5)', -3],
    ['ROUND(1250,-2)', 1300],
    ['ROUND(-0.4)', 0],
    ['ROUND(6,-1)', 10],
    ['ROUND(4,-1)', 0],
    ['ROUND(1.2345,10)', 1.2345],
    ['ROUND(10^21/3,-20)', 300000000000000000000],
    ['FLOOR(-1.5)', -2],
    ['CEILING(-1.5)', -1],
    ['ABS({m})', 2.5],
    ['MOD(7,3)', 1],
    ['MOD(-7,3)', 2],
    ['MOD(7,-3)', -2],
    ['SQRT(9)', 3],
    ['if(min(1,2)=1,Max(3,4),sum(5))', 4],
    // Texts, in code points.
    ['LEN({t})', 8],
    ['LEFT({t},7)', 'Grüße 𝒳'],
    ['RIGHT({t},2)', '𝒳!'],
    ['MID({t},7,1)', '𝒳'],
    ['MID({t},0,2)', 'Gr'],
    ['MID({t},-5,2.9)', 'Gr'],
    ['MID({t},20,2)', ''],
    ['LEFT({t},-1)', ''],
    ['RIGHT({t},0)', ''],
    ['LEFT({t},1.9)', 'G'],
    ['LOWER("ÄB")', 'äb'],
    ['UPPER("äb")', 'ÄB'],
    ['TRIM({u})', 'a'],
    ['SUBSTITUTE("aXbX","X","")', 'ab'],
    ['SUBSTITUTE("aaa","aa","b")', 'ba'],
    ['SUBSTITUTE("ab","","x")', 'ab'],
    ['CONTAINS("Straße","STRA")', true],
    ['CONTAINS("a","")', true],
    ['CONTAINS("a","b")', false],
    ['TEXT(10^21)', '1e+21'],
    ['TEXT(0.1+0.2)', '0.30000000000000004'],
    ['TEXT(TRUE)&TEXT({d})&TEXT("x")', 'true2024-01-31x'],
    ['VALUE(" -1.50 ")', -1.5],
    ['VALUE("1e3")', null],
    ['VALUE("+1")', null],
    ['VALUE(".5")', null],
    ['"Z"<"a"', true],
    ['"\uffff"<"𝒳"', true],
    ['"a"="A"', false],
    ['FALSE<TRUE', true],
    // Days.
    ['DATE(2024,2,29)', '2024-02-29'],
    ['DATE(1,1,1)', '0001-01-01'],
    ['DATE(0,1,1)', null],
    ['DATE(2024,0,1)', null],
    ['YEAR({d})*10000+MONTH({d})*100+DAY({d})', 20240131],
    ['DAY({w})', 29],
    ['DAYS({d},{e})', 31],
    ['DAYS({e},{d})', -31],
    ['ADDDAYS({d},29)', '2024-02-29'],
    ['ADDDAYS(DATE(9999,12,31),1)', null],
    ['ADDDAYS(DATE(1,1,1),-1)', null],
    ['ADDMONTHS({d},1)', '2024-02-29'],
    ['ADDMONTHS({d},-11)', '2023-02-28'],
    ['ADDMONTHS({d},12)', '2025-01-31'],
    ['{d}>{e}', true],
    ['{w}={w}', true],
  ])('%s is %p', (expression, expected) => {
    expect(result(expression)).toBe(expected as string)
  })

  test('has the type of its result', () => {
    const types = ['1', '"a"', '1=1', 'DATE(1,1,1)', 'IF(TRUE,BLANK,{w})', 'COALESCE(BLANK,1)']
    expect(types.map((text) => typed(text).result)).toEqual([
      ...(['number', 'text', 'bool', 'date', 'datetime', 'number'] as const),
    ])
    expect([...typed('{n}+{m}*{n}').fields]).toEqual(['n', 'm'])
  })

  test.each<[string, number]>([
    ['', 0],
    ['1 +', 3],
    ['1 2', 2],
    ['(1', 0],
    ['1)', 1],
    ['1,2', 1],
    ['()', 1],
    ['.5', 0],
    ['1e3', 1],
    ['1.', 1],
    ['+1', 0],
    ['"open', 0],
    ['"𝒳"&{ n}', 4],
    ['{N}', 0],
    ['{id}', 0],
    ['{created_at}+1', 0],
    ['1+{nothing}', 2],
    ['NOTHING(1)', 0],
    ['LEN', 0],
    ['LEN "a"', 0],
    ['nothing', 0],
    ['LEN()', 0],
    ['LEN("a","b")', 0],
    ['1+IF(TRUE)', 2],
    ['IF(TRUE,1,2,3)', 0],
    ['LEN(1)', 4],
    ['1+"a"', 2],
    ['-"a"', 1],
    ['1="a"', 2],
    ['IF(1,2)', 3],
    ['IF(TRUE,1,"a")', 10],
    ['COALESCE(1,"a")', 11],
    ['AND(1)', 4],
    ['YEAR("2024")', 5],
    ['ADDDAYS({w},1)', 8],
    ['DAYS({d},{w})', 9],
    [`AND(${'TRUE,'.repeat(20)}TRUE)`, 0],
    ['BLANK', 0],
    ['IF(TRUE,BLANK)', 0],
    ['COALESCE(BLANK,BLANK)', 0],
    ['1 ! 2', 2],
    ['toString()', 0],
    ['{constructor}', 0],
  ])('%p is refused at %p', (expression, position) => {
    let thrown: unknown
    try {
      typed(expression)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(FormulaError)
    expect((thrown as FormulaError).position).toBe(position)
  })

  test(
    'agrees with a second evaluator, however it is nested, spaced and spelled',
    () => {
      const arbitraryPad = fc.infiniteStream(fc.constantFrom('', '', '', '( )', ' ', '\n'))
      fc.assert(
        fc.property(
          arbitraryTree,
          fc.array(arbitraryRow, { maxLength: 4 }),
          arbitraryPad,
          (tree, rows, pads) => {
            const pad = (text: string) => {
              const { value } = pads.next()
              return value === '( )' ? `(${text})` : `${value}${text}`
            }
            const text = write(tree, pad)
            const formula = compile(text, (key) => FIELDS[key])
            for (const row of [...rows, {}])
              expect([text, evaluate(formula, (key) => row[key] ?? null)]).toEqual([
                text,
                treeValue(tree, row),
              ])
          },
        ),
        { numRuns: runs(2_000, 200_000) },
      )
    },
    RANDOM_CASES_MS,
  )

  test('of 2,000 hostile characters neither exhausts the stack nor takes long', () => {
    const deep = [
      `${'('.repeat(999)}1${')'.repeat(999)}`,
      `${'-'.repeat(1_999)}1`,
      `${'NOT('.repeat(399)}TRUE${')'.repeat(399)}`,
      `1${'^1'.repeat(999)}`,
      '('.repeat(2_000),
      '"'.repeat(1_999),
      'ABS('.repeat(500),
    ]
    for (const expression of deep) {
      try {
        result(expression)
      } catch (error) {
        expect(error).toBeInstanceOf(FormulaError)
      }
    }
    const long = { t: 'a'.repeat(100_000), u: `${'a'.repeat(50_000)}b` }
    for (const expression of [
      'CONTAINS({t},{u})',
      'SUBSTITUTE({t},"a",{t})',
      `LEN(${'SUBSTITUTE('.repeat(80)}{t}${',"a","aa")'.repeat(80)})`,
      `{t}${'&{t}'.repeat(400)}`,
      `SUM(${'LEN({t}),'.repeat(200)}1)`,
    ])
      result(expression, long)
  })

  test('is blank when its text is longer than a field holds', () => {
    const row = { t: '𝒳'.repeat(50_000) }
    expect(result('LEN({t}&{t})', row)).toBe(100_000)
    expect(result('LEN({t}&{t}&"a")', row)).toBe(100_001)
    expect(result('{t}&{t}', row)).toBe('𝒳'.repeat(100_000))
    expect(result('{t}&{t}&"a"', row)).toBe(null)
  })
})
