import type { Token, Tokens } from 'marked'
import type { Links, Outgoing } from './tokens.ts'

/** What the page sends to the worker: a note, or the wish for its next part. */
export type PartsRequest = NoteRequest | 'next'

export interface NoteRequest {
  readonly title: string
  readonly text: string
  /** The text that the server holds, and the links that it found in it. */
  readonly saved: string
  readonly outgoing: readonly Outgoing[]
}

/** What the worker sends back: some blocks, which are drawn at once, or that there are too many to draw. */
export type PartsResponse =
  | {
      readonly tokens: readonly Token[]
      /** The rank of the highest heading of the note. */
      readonly topRank: number
      readonly links: Links
      readonly isLast: boolean
    }
  | 'too much'

/** More tokens or characters than this are not drawn at once. */
const PART_TOKENS = 1_000
const PART_LENGTH = 20_000
/** A block with more than this, such as a list, keeps the page from answering while it is drawn. */
const MAX_BLOCK_TOKENS = 8_000
const MAX_BLOCK_LENGTH = 100_000
/** Blocks within blocks, deeper than anybody reads them. */
const MAX_DEPTH = 100
/** More than this makes a page slow that has long been drawn. */
const MAX_TOKENS = 60_000

interface Size {
  tokens: number
  length: number
}

/** The lists of tokens that are drawn within a token. */
function childrenOf(token: Token): Token[][] {
  if (token.type === 'image') return []
  if (token.type === 'list') return (token as Tokens.List).items.map(({ tokens }) => tokens)
  if (token.type !== 'table') return [(token as Tokens.Generic).tokens ?? []]
  const { header, rows } = token as Tokens.Table
  return [header, ...rows].flat().map(({ tokens }) => tokens)
}

/**
 * Takes from a token the text that the tokens within it hold again, and counts them. Throws where they are nested too
 * deeply.
 */
function slim(token: Token, size: Size, depth = 0): void {
  if (depth > MAX_DEPTH) throw new Error('nested too deeply')
  const children = childrenOf(token).flat()
  size.tokens += 1
  if (children.length === 0) size.length += token.raw.length
  else Object.assign(token, { raw: '', text: '' })
  if (token.type === 'list')
    for (const item of (token as Tokens.List).items) Object.assign(item, { raw: '', text: '' })
  for (const child of children) slim(child, size, depth + 1)
}

/** The blocks of a note in parts that can each be drawn at once; undefined where that would be too much. */
export function partsOf(blocks: readonly Token[]): Token[][] | undefined {
  const parts: Token[][] = [[]]
  let [total, tokens, length] = [0, 0, 0]
  for (const block of blocks) {
    const size = { tokens: 0, length: 0 }
    slim(block, size)
    total += size.tokens
    if (size.tokens > MAX_BLOCK_TOKENS || size.length > MAX_BLOCK_LENGTH || total > MAX_TOKENS)
      return undefined
    tokens += size.tokens
    length += size.length
    if (tokens > PART_TOKENS || length > PART_LENGTH) {
      parts.push([])
      ;[tokens, length] = [size.tokens, size.length]
    }
    parts.at(-1)?.push(block)
  }
  return parts
}
