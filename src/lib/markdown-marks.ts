import { type Token, type Tokens, walkTokens } from 'marked'

/** `==text==` */
interface MarkToken {
  readonly type: 'mark'
  readonly raw: string
  readonly tokens: Token[]
}

/** `$$formula$$`, in one line or several; `text` is what is between the dollars. */
interface MathToken {
  readonly type: 'math'
  readonly raw: string
  readonly text: string
}

const DELIMITER = /(==+|\$\$)/

const isDelimiter = ({ type, raw }: Token, which: string): boolean => type === 'text' && raw === which

/** Puts marked text and formulas into tokens of their own, within the tokens of a text. */
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
  const isMarked = pieces.some((piece) => isDelimiter(piece, '==') || isDelimiter(piece, '$$'))
  return isMarked ? textMarkedIn(formulasIn(pieces)) : tokens
}

/** A text is cut where delimiters stand in it. */
function piecesOf(token: Token): Token[] {
  if (token.type !== 'text' || 'tokens' in token || token.raw !== token.text || !DELIMITER.test(token.raw))
    return [token]
  return token.raw
    .split(DELIMITER)
    .filter((raw) => raw !== '')
    .map((raw): Tokens.Text => ({ ...(token as Tokens.Text), raw, text: raw }))
}

const rawOf = (tokens: readonly Token[]): string => tokens.map(({ raw }) => raw).join('')

/** Pairs the delimiters, each with the next one that may end it, in one pass. */
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
    (raw) => ({ type: 'math', raw, text: raw.slice(2, -2).trim() }) satisfies MathToken,
  )

/** What is marked neither begins nor ends with a blank. */
const textMarkedIn = (tokens: Token[]): Token[] =>
  pairs(
    tokens,
    '==',
    (from, to) =>
      to > from + 1 && /^\S/.test(tokens[from + 1]?.raw ?? '') && /\S$/.test(tokens[to - 1]?.raw ?? ''),
    (raw, inner) => ({ type: 'mark', raw, tokens: inner }) satisfies MarkToken,
  )
