import { Lexer, type Token, Tokenizer, type Tokens, type TokensList, walkTokens } from 'marked'
import { systemClock } from './clock.ts'
import { linkCommentIn } from './link-comments.ts'
import { withoutComments } from './markdown-comments.ts'
import type { WikiToken } from './markdown-links.ts'
import { findMarks } from './markdown-marks.ts'

/** Replaces the bar of a link while a text with tables is parsed, because a bar would end the cell. */
const BAR = '\uFDD0'
const WIKI = new RegExp(`^(!?)\\[\\[([^[\\]|${BAR}\\n]+?)(?:\\\\?[|${BAR}]([^[\\]\\n]*))?\\]\\]`)
const LABELLED = /\[\[[^[\]|\n]+\|[^[\]\n]*\]\]/g
/** The line that turns the line before it into a table. */
const DELIMITER_ROW = /^(?=.*[|:])(?=.*-)[ \t>|:-]+$/m

/** Parses `[[links]]` in addition to those of Markdown. Other text always ends at a bracket or exclamation mark. */
class LinkTokenizer extends Tokenizer {
  override link(source: string): Tokens.Link | Tokens.Image | undefined {
    const match = source.startsWith('[[') || source.startsWith('![[') ? WIKI.exec(source) : null
    if (!match) return super.link(source)
    const [raw, mark, target = '', label] = match
    const token: WikiToken = {
      type: 'wiki',
      raw,
      isEmbed: mark === '!',
      target,
      label: label?.replaceAll('\\|', '|'),
    }
    // The lexer accepts any token in its list.
    return token as unknown as Tokens.Link
  }
}

const lexerWith = (tokenizer: Tokenizer): Lexer => new Lexer({ gfm: true, tokenizer })

/** Parses Markdown. Hostile texts may take very long; use `boundedTokens` for untrusted ones. */
export const tokensOf = (text: string): Token[] =>
  taken(text, (masked) => lexerWith(new LinkTokenizer()).lex(masked))

/** Maximum parsing time, and the longest passage that is parsed: some passages take quadratic time. */
const MAX_MS = 1_000
const MAX_LENGTH = 200_000
const MAX_PASSAGE = 10_000

/** Parses within about a second; undefined for a text that takes longer or is nested too deeply. */
export function boundedTokens(text: string): Token[] | undefined {
  if (text.length > MAX_LENGTH) return undefined
  try {
    return taken(text, lexedInTime)
  } catch {
    return undefined
  }
}

/** The underline of a setext heading. */
const UNDERLINE = /\n {0,3}(?:=+|-+)[ \t]*(?:\n|$)/
/** Only this much text is searched for an underline at first. */
const FIRST_PASSAGE = 5_000

/** Throws after a deadline, which is checked before each block. */
class TimedTokenizer extends LinkTokenizer {
  constructor(private readonly until: number) {
    super()
  }

  override space(source: string): Tokens.Space | undefined {
    if (systemClock.monotonicMs() > this.until) throw new Error('too much')
    return super.space(source)
  }

  /** Looks for the underline first: the expression for setext headings takes a third of the total time. */
  override lheading(source: string): Tokens.Heading | undefined {
    const start = source.slice(0, FIRST_PASSAGE)
    const end = start.indexOf('\n\n')
    if (end === -1 && source.length > FIRST_PASSAGE) return super.lheading(source)
    return UNDERLINE.test(end === -1 ? start : start.slice(0, end + 1)) ? super.lheading(source) : undefined
  }
}

function lexedInTime(text: string): TokensList {
  const until = systemClock.monotonicMs() + MAX_MS
  const lexer = lexerWith(new TimedTokenizer(until))
  lexer.blockTokens(text.replace(/\r\n|\r/g, '\n'), lexer.tokens)
  for (let next = lexer.inlineQueue.shift(); next; next = lexer.inlineQueue.shift()) {
    if (systemClock.monotonicMs() > until || next.src.length > MAX_PASSAGE) throw new Error('too much')
    lexer.inlineTokens(next.src, next.tokens)
  }
  return lexer.tokens
}

function taken(text: string, lexed: (masked: string) => TokensList): Token[] {
  const tokens = withLinks(text, lexed)
  return /==|\$/.test(text) ? findMarks(tokens) : tokens
}

function withLinks(text: string, lexed: (masked: string) => TokensList): Token[] {
  if (!DELIMITER_ROW.test(text)) return lexed(text)
  const masked = text.replace(LABELLED, (link) => link.replace(/\\?\|/g, BAR))
  const tokens = lexed(masked)
  if (masked === text) return tokens
  const isInAddress = Object.values(tokens.links).some(({ href, title }) => `${href}${title}`.includes(BAR))
  const blocks = isInAddress ? tokens : tokens.filter(({ raw }) => raw.includes(BAR))
  walkTokens(blocks, (token) => {
    if (isMasked(token)) unmask(token)
  })
  return tokens
}

/** The address of a link or picture may be in a later passage than its token. */
const isMasked = ({ raw, type }: Token): boolean => raw.includes(BAR) || type === 'link' || type === 'image'

function unmask(token: Tokens.Generic): void {
  for (const name in token) {
    const value: unknown = token[name]
    if (typeof value === 'string') token[name] = value.replaceAll(BAR, '|')
  }
}

/** Removes a leading heading that repeats the title of the note. */
export function withoutTitle(tokens: readonly Token[], title: string): readonly Token[] {
  const at = tokens.findIndex(({ type }) => type !== 'space')
  const first = tokens[at] as Tokens.Heading | undefined
  if (first?.type !== 'heading' || first.depth !== 1) return tokens
  const isTitle = first.tokens.map((token) => ('text' in token ? token.text : '')).join('') === title
  return isTitle ? tokens.toSpliced(at, 1) : tokens
}

const EMBEDDED_FILE = /!\[\[file:[0-9a-f-]{36}\\?\|[^[\]\n]*\]\]$/i
/** Longer than any link to a file. */
const MAX_LINK = 2_000
/** Characters that would end a link or begin code. */
const NOT_IN_LINKS: Readonly<Record<string, string>> = { '[': '(', ']': ')', '`': "'" }

/** Markdown as displayed: without comments, and with the captions of imported pictures in their links. */
export const shownMarkdown = (text: string): string =>
  withoutComments(text, (before, comment) => {
    if (!EMBEDDED_FILE.test(before.slice(-MAX_LINK))) return undefined
    const caption = linkCommentIn(comment).caption.replace(/[[\]`]/g, (sign) => NOT_IN_LINKS[sign] ?? '')
    return caption === '' ? undefined : `${before.slice(0, -']]'.length)}|${caption}]]`
  })
