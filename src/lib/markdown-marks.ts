import { type Token, type Tokens, walkTokens } from 'marked'

/** `==text==` */
interface MarkToken {
  readonly type: 'mark'
  readonly raw: string
  readonly tokens: Token[]
}

/** `$$formula$$`, or `$formula$` within a line; `text` is the content between the dollars. */
export interface MathToken {
  readonly type: 'math'
  readonly raw: string
  readonly text: string
  readonly isDisplay: boolean
}

const DELIMITER = /(==+|\$\$|\$)/

const isDelimiter = ({ type, raw }: Token, which: string): boolean => type === 'text' && raw === which

/** Replaces marked text and formulas in a list of tokens by tokens of their own. */
export function findMarks(tokens: Token[]): Token[] {
  walkTokens(tokens, (token) => {
    if (token.type === 'table')
      for (const cell of [token.header, ...token.rows].flat()) cell.tokens = marksIn(cell.tokens)
    else if ('tokens' in token && token.tokens) token.tokens = marksIn(token.tokens)
  })
  return tokens
}

function marksIn(tokens: Token[]): Token[] {
  const pieces = tokens.flatMap(piecesOf)
  const isMarked = pieces.some(({ type, raw }) => type === 'text' && /^(?:==|\$\$?)$/.test(raw))
  return isMarked ? textMarkedIn(inlineFormulasIn(formulasIn(pieces))) : tokens
}

/** Splits a text token at its delimiters. */
function piecesOf(token: Token): Token[] {
  if (token.type !== 'text' || 'tokens' in token || token.raw !== token.text || !DELIMITER.test(token.raw))
    return [token]
  return token.raw
    .split(DELIMITER)
    .filter((raw) => raw !== '')
    .map((raw): Tokens.Text => ({ ...(token as Tokens.Text), raw, text: raw }))
}

const rawOf = (tokens: readonly Token[]): string => tokens.map(({ raw }) => raw).join('')

/** Pairs each delimiter with the next one that may close it, in one pass. */
function pairs(
  tokens: readonly Token[],
  which: string,
  mayPair: (from: number, to: number) => boolean,
  tokenOf: (raw: string, inner: Token[]) => Token,
): Token[] {
  const found: Token[] = []
  let from: number | undefined
  let start = 0
  tokens.forEach((token, at) => {
    if (!isDelimiter(token, which)) return
    if (from === undefined || !mayPair(from, at)) {
      from = at
      return
    }
    found.push(...tokens.slice(start, from))
    found.push(tokenOf(rawOf(tokens.slice(from, at + 1)), tokens.slice(from + 1, at)))
    start = at + 1
    from = undefined
  })
  return [...found, ...tokens.slice(start)]
}

const formulasIn = (tokens: Token[]): Token[] =>
  pairs(
    tokens,
    '$$',
    (from, to) => to > from + 1,
    (raw) => ({ type: 'math', raw, text: raw.slice(2, -2).trim(), isDisplay: true }) satisfies MathToken,
  )

/** A formula in a line neither begins nor ends with a blank, and no digit follows it: `$5 and $6` are amounts. */
const inlineFormulasIn = (tokens: Token[]): Token[] =>
  pairs(
    tokens,
    '$',
    (from, to) =>
      to > from + 1 &&
      /^\S/.test(tokens[from + 1]?.raw ?? '') &&
      /\S$/.test(tokens[to - 1]?.raw ?? '') &&
      !/^\d/.test(tokens[to + 1]?.raw ?? ''),
    (raw) => ({ type: 'math', raw, text: raw.slice(1, -1), isDisplay: false }) satisfies MathToken,
  )

/** Marked text neither begins nor ends with a blank. */
const textMarkedIn = (tokens: Token[]): Token[] =>
  pairs(
    tokens,
    '==',
    (from, to) =>
      to > from + 1 && /^\S/.test(tokens[from + 1]?.raw ?? '') && /\S$/.test(tokens[to - 1]?.raw ?? ''),
    (raw, inner) => ({ type: 'mark', raw, tokens: inner }) satisfies MarkToken,
  )
