import { codePointLength } from '../text.ts'
import { FormulaError } from './values.ts'

/** Operators by symbol; longer ones first. */
const SYMBOLS = ['<>', '<=', '>=', '<', '>', '=', '&', '+', '-', '*', '/', '^', '(', ')', ','] as const
export type TokenSymbol = (typeof SYMBOLS)[number]

export type Token = (
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'field'; readonly key: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'symbol'; readonly symbol: TokenSymbol }
  | { readonly kind: 'end' }
) & {
  /** In characters from the beginning of the expression. */
  readonly position: number
  readonly text: string
}

const SPACE = /[ \t\r\n]+/y
const NUMBER = /\d+(?:\.\d+)?/y
const TEXT = /"[^"]*(?:""[^"]*)*"/y
const FIELD = /\{([a-z][a-z0-9_]*)\}/y
const NAME = /[A-Za-z][A-Za-z0-9_]*/y

/** The tokens of an expression, and one for its end. */
export function tokensOf(expression: string): Token[] {
  const tokens: Token[] = []
  const characters = codePointLength(expression) === expression.length
  const positionAt = (at: number) => (characters ? at : codePointLength(expression.slice(0, at)))
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(expression)
  }
  while (at < expression.length) {
    const space = take(SPACE)
    if (space) {
      at += space[0].length
      continue
    }
    const token = tokenAt(take, expression, at, positionAt(at))
    tokens.push(token)
    at += token.text.length
  }
  return [...tokens, { kind: 'end', position: positionAt(at), text: '' }]
}

function tokenAt(
  take: (pattern: RegExp) => RegExpExecArray | null,
  expression: string,
  at: number,
  position: number,
): Token {
  const number = take(NUMBER)
  if (number) return { kind: 'number', value: Number(number[0]), position, text: number[0] }
  const text = take(TEXT)
  if (text)
    return {
      kind: 'text',
      value: text[0].slice(1, -1).replaceAll('""', '"'),
      position,
      text: text[0],
    }
  const field = take(FIELD)
  if (field) return { kind: 'field', key: field[1] ?? '', position, text: field[0] }
  const name = take(NAME)
  if (name) return { kind: 'name', name: name[0].toUpperCase(), position, text: name[0] }
  const symbol = SYMBOLS.find((one) => expression.startsWith(one, at))
  if (symbol) return { kind: 'symbol', symbol, position, text: symbol }
  throw unreadable(expression, at, position)
}

function unreadable(expression: string, at: number, position: number): FormulaError {
  const [character = ''] = expression.slice(at, at + 2)
  if (character === '"') return new FormulaError('The text has no closing quote', position)
  if (character === '{')
    return new FormulaError(
      'A field is written as its key in braces, without blanks, such as {amount}',
      position,
    )
  return new FormulaError(`Unexpected ${JSON.stringify(character)}`, position)
}
