import type { Token, Tokens } from 'marked'

const CALLOUT = /^\[!(\w+)\][-+]?[ \t]*/

/** A quote that begins with `[!note]` and the like. */
export interface Callout {
  /** In lower case. */
  readonly kind: string
  /** The title on its first line; an empty one shows the kind instead. */
  readonly name: readonly Token[]
  /** The rest of its first paragraph. */
  readonly text: readonly Token[]
  readonly others: readonly Token[]
}

/** Parses the tokens of a quote as a callout; undefined for an ordinary quote. */
export function calloutIn([first, ...others]: readonly Token[]): Callout | undefined {
  const [start, ...rest] = (first?.type === 'paragraph' && (first as Tokens.Paragraph).tokens) || []
  const found = start?.type === 'text' ? CALLOUT.exec(start.text) : null
  if (!found) return undefined
  const [mark, kind = ''] = found
  const [name, text] = atFirstBreak([textToken((start as Tokens.Text).text.slice(mark.length)), ...rest])
  return { kind: kind.toLowerCase(), name, text, others }
}

/** The default title of a callout. */
export const calloutName = ({ kind }: Pick<Callout, 'kind'>): string =>
  `${kind[0]?.toUpperCase()}${kind.slice(1)}`

const textToken = (text: string): Tokens.Text => ({ type: 'text', raw: text, text, escaped: false })

/** Splits a paragraph after its first line. */
function atFirstBreak(tokens: readonly Token[]): [Token[], Token[]] {
  const at = tokens.findIndex((token) => token.type === 'text' && token.raw.includes('\n'))
  const { raw } = tokens[at] ?? { raw: '' }
  const [line, left] = [raw.slice(0, raw.indexOf('\n')), raw.slice(raw.indexOf('\n') + 1)]
  const parts: [Token[], Token[]] =
    at < 0
      ? [[...tokens], []]
      : [
          [...tokens.slice(0, at), textToken(line)],
          [textToken(left), ...tokens.slice(at + 1)],
        ]
  const isFull = (token: Token) => token.type !== 'text' || token.raw !== ''
  return [parts[0].filter(isFull), parts[1].filter(isFull)]
}
