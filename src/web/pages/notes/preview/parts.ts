import type { Token, Tokens } from 'marked'
import type { Links, Outgoing } from './tokens.ts'

/** A message to the worker: a note, then `next` for each further part. */
export type PartsRequest = NoteRequest | 'next'

export interface NoteRequest {
  readonly title: string
  readonly text: string
  /** The text stored on the server, and the links it found there. */
  readonly saved: string
  readonly outgoing: readonly Outgoing[]
}

/** A message from the worker: some blocks to render, or `too large`. */
export type PartsResponse =
  | {
      readonly tokens: readonly Token[]
      /** Level of the highest heading of the note. */
      readonly topRank: number
      readonly links: Links
      readonly isLast: boolean
    }
  | 'too large'

/** Tokens and characters per part, at most. */
const PART_TOKENS = 1_000
const PART_LENGTH = 20_000
/** A larger block, such as a list, would block the page while it is rendered. */
const MAX_BLOCK_TOKENS = 8_000
const MAX_BLOCK_LENGTH = 100_000
/** Nesting depth of blocks, at most. */
const MAX_DEPTH = 100
/** More tokens make the page slow even after rendering. */
const MAX_TOKENS = 60_000

interface Size {
  tokens: number
  length: number
}

/** The child tokens of a token, by list. */
function childrenOf(token: Token): Token[][] {
  if (token.type === 'image') return []
  if (token.type === 'list') return (token as Tokens.List).items.map(({ tokens }) => tokens)
  if (token.type !== 'table') return [(token as Tokens.Generic).tokens ?? []]
  const { header, rows } = token as Tokens.Table
  return [header, ...rows].flat().map(({ tokens }) => tokens)
}

/** Counts a token and its children, and removes text that the children repeat. Throws if they are nested too deeply. */
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

/** Splits the blocks of a note into parts that render quickly; undefined if a limit is exceeded. */
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
