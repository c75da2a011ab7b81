import { HighlightStyle } from '@codemirror/language'
import { styleTags, Tag, tags } from '@lezer/highlight'
import {
  GFM,
  type InlineContext,
  type MarkdownConfig,
  parser as markdownParser,
  parseCode,
} from '@lezer/markdown'
import { codeParser } from '../code/languages.ts'
import { codeStyles } from '../code/styles.ts'

/* The Markdown dialect of notes: GitHub's, with wiki links, tags, highlights and formulas. */

const wikiLink = Tag.define()
const hashtag = Tag.define()
const highlight = Tag.define()
const math = Tag.define()

const [OPEN, CLOSE, BANG, LINE_END, HASH, EQUALS, DOLLAR] = [...'[]!\n#=$'].map((character) =>
  character.charCodeAt(0),
)
const IN_TAG = /[\p{L}\p{N}_/-]/u

/** Position of the closing brackets of a wiki link, or -1. */
function endOfLink(context: InlineContext, from: number): number {
  for (let pos = from; pos < context.end - 1; pos++) {
    const character = context.char(pos)
    if (character === OPEN || character === LINE_END) return -1
    if (character === CLOSE) return pos > from && context.char(pos + 1) === CLOSE ? pos : -1
  }
  return -1
}

/** `[[target]]`, `[[target|label]]`, or embedded with a leading `!`. */
function parseWikiLink(context: InlineContext, next: number, pos: number): number {
  const from = next === BANG ? pos + 1 : pos
  if (context.char(from) !== OPEN || context.char(from + 1) !== OPEN) return -1
  const target = from + 2
  const end = endOfLink(context, target)
  if (end === -1) return -1
  const bar = context.slice(target, end).indexOf('|')
  const label = bar === -1 ? target : target + bar + 1
  return context.addElement(
    context.elt('WikiLink', pos, end + 2, [
      context.elt('WikiMark', pos, label),
      context.elt('WikiLabel', label, end),
      context.elt('WikiMark', end, end + 2),
    ]),
  )
}

/** `#tag` pos the start of a word. */
function parseHashtag(context: InlineContext, next: number, pos: number): number {
  if (next !== HASH || (pos > context.offset && !/\s/.test(context.slice(pos - 1, pos)))) return -1
  let end = pos + 1
  while (end < context.end && IN_TAG.test(String.fromCodePoint(context.char(end)))) end++
  return end === pos + 1 ? -1 : context.addElement(context.elt('Hashtag', pos, end))
}

const MARKED = { resolve: 'Marked', mark: 'MarkedMark' }

/** `==text==` */
function parseMarked(context: InlineContext, next: number, pos: number): number {
  if (next !== EQUALS || context.char(pos + 1) !== EQUALS || context.char(pos + 2) === EQUALS) return -1
  const [before, after] = [context.slice(pos - 1, pos), context.slice(pos + 2, pos + 3)]
  return context.addDelimiter(MARKED, pos, pos + 2, /\S/.test(after), /\S/.test(before))
}

/** The longest formula within a line: each dollar sign is searched for an end up to here. */
const MAX_INLINE_MATH = 1_000

/** The end of `$formula$`, under the rule of `inlineFormulasIn` in the preview; -1 for other dollar signs. */
function endOfInlineMath(context: InlineContext, from: number): number {
  const text = context.slice(from, Math.min(context.end, from + MAX_INLINE_MATH))
  const [found] = /^[^$]*[^$\s](?=\$(?![$\d]))/.exec(text) ?? []
  return found === undefined || /^\s/.test(found) ? -1 : from + found.length
}

/** The end of `$$formula$$`, on one or several lines; -1 for other dollar signs. */
function endOfDisplayMath(context: InlineContext, from: number): number {
  for (let end = from + 1; end < context.end - 1; end++)
    if (context.char(end) === DOLLAR && context.char(end + 1) === DOLLAR) return end
  return -1
}

/** `$formula$`, or `$$formula$$` on one or several lines. */
function parseMath(context: InlineContext, next: number, pos: number): number {
  if (next !== DOLLAR) return -1
  const length = context.char(pos + 1) === DOLLAR ? 2 : 1
  const end = (length === 2 ? endOfDisplayMath : endOfInlineMath)(context, pos + length)
  if (end === -1) return -1
  return context.addElement(
    context.elt('Math', pos, end + length, [
      context.elt('MathMark', pos, pos + length),
      context.elt('MathMark', end, end + length),
    ]),
  )
}

/** Nodes visible only near the cursor. */
export const MARKS: ReadonlySet<string> = new Set([
  'EmphasisMark',
  'StrikethroughMark',
  'CodeMark',
  'LinkMark',
  'LinkTitle',
  'WikiMark',
  'MarkedMark',
  'MathMark',
])

const daybook: MarkdownConfig = {
  defineNodes: [
    'WikiLink',
    'WikiMark',
    'WikiLabel',
    'Hashtag',
    { name: 'Marked', style: { 'Marked/...': highlight } },
    { name: 'MarkedMark', style: tags.processingInstruction },
    { name: 'Math', style: { 'Math/...': math } },
    { name: 'MathMark', style: tags.processingInstruction },
  ],
  parseInline: [
    { name: 'WikiLink', parse: parseWikiLink, before: 'Link' },
    { name: 'Math', parse: parseMath, before: 'Escape' },
    { name: 'Hashtag', parse: parseHashtag, after: 'Emphasis' },
    { name: 'Marked', parse: parseMarked, after: 'Emphasis' },
  ],
  props: [
    styleTags({
      WikiLabel: wikiLink,
      WikiMark: tags.processingInstruction,
      Hashtag: hashtag,
    }),
  ],
}

/** The parser of notes. Its trees have the nodes of `@lezer/markdown`, `WikiLink`, `Hashtag`, `Marked` and `Math`. */
export const parser = markdownParser.configure([GFM, daybook, parseCode({ codeParser })])

/** Longer paragraphs stay plain, as in the preview: parsing can take quadratic time and cannot be interrupted. */
const MAX_PARAGRAPH = 10_000
const parseInline = parser.parseInline.bind(parser)
parser.parseInline = (text, offset) => (text.length > MAX_PARAGRAPH ? [] : parseInline(text, offset))

export const highlighting = HighlightStyle.define([
  { tag: tags.heading, class: 'md-heading' },
  { tag: tags.strong, class: 'md-strong' },
  { tag: tags.emphasis, class: 'md-emphasis' },
  { tag: tags.strikethrough, class: 'md-strike' },
  { tag: tags.monospace, class: 'md-code' },
  { tag: [tags.link, tags.url], class: 'md-link' },
  { tag: [tags.processingInstruction, tags.contentSeparator], class: 'md-mark' },
  { tag: tags.quote, class: 'md-quote' },
  { tag: wikiLink, class: 'md-link' },
  { tag: hashtag, class: 'md-tag' },
  { tag: highlight, class: 'md-highlight' },
  { tag: math, class: 'md-math' },
  ...codeStyles,
])
