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

/* The Markdown of notes as the editor reads it: GitHub's, with links between notes and tags. */

const wikiLink = Tag.define()
const hashtag = Tag.define()
const marked = Tag.define()
const math = Tag.define()

const [OPEN, CLOSE, BANG, LINE_END, HASH, EQUALS, DOLLAR] = [...'[]!\n#=$'].map((character) =>
  character.charCodeAt(0),
)
const IN_TAG = /[\p{L}\p{N}_/-]/u

/** Where the closing brackets of a link that begins before `from` stand, or -1. */
function endOfLink(context: InlineContext, from: number): number {
  for (let at = from; at < context.end - 1; at++) {
    const character = context.char(at)
    if (character === OPEN || character === LINE_END) return -1
    if (character === CLOSE) return at > from && context.char(at + 1) === CLOSE ? at : -1
  }
  return -1
}

/** `[[target]]`, `[[target|label]]`, and embedded with `!` before them. */
function parseWikiLink(context: InlineContext, next: number, at: number): number {
  const from = next === BANG ? at + 1 : at
  if (context.char(from) !== OPEN || context.char(from + 1) !== OPEN) return -1
  const target = from + 2
  const end = endOfLink(context, target)
  if (end === -1) return -1
  const bar = context.slice(target, end).indexOf('|')
  const label = bar === -1 ? target : target + bar + 1
  return context.addElement(
    context.elt('WikiLink', at, end + 2, [
      context.elt('WikiMark', at, label),
      context.elt('WikiLabel', label, end),
      context.elt('WikiMark', end, end + 2),
    ]),
  )
}

/** `#tag` where a word begins. */
function parseHashtag(context: InlineContext, next: number, at: number): number {
  if (next !== HASH || (at > context.offset && !/\s/.test(context.slice(at - 1, at)))) return -1
  let end = at + 1
  while (end < context.end && IN_TAG.test(String.fromCodePoint(context.char(end)))) end++
  return end === at + 1 ? -1 : context.addElement(context.elt('Hashtag', at, end))
}

const MARKED = { resolve: 'Marked', mark: 'MarkedMark' }

/** `==text==` */
function parseMarked(context: InlineContext, next: number, at: number): number {
  if (next !== EQUALS || context.char(at + 1) !== EQUALS || context.char(at + 2) === EQUALS) return -1
  const [before, after] = [context.slice(at - 1, at), context.slice(at + 2, at + 3)]
  return context.addDelimiter(MARKED, at, at + 2, /\S/.test(after), /\S/.test(before))
}

/** `$$formula$$`, in one line or several. */
function parseMath(context: InlineContext, next: number, at: number): number {
  if (next !== DOLLAR || context.char(at + 1) !== DOLLAR) return -1
  for (let end = at + 3; end < context.end - 1; end++)
    if (context.char(end) === DOLLAR && context.char(end + 1) === DOLLAR)
      return context.addElement(
        context.elt('Math', at, end + 2, [
          context.elt('MathMark', at, at + 2),
          context.elt('MathMark', end, end + 2),
        ]),
      )
  return -1
}

/** Nodes that are seen only where the cursor is. */
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
    { name: 'Marked', style: { 'Marked/...': marked } },
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

/** Reads the Markdown of notes; its trees have `WikiLink` and `Hashtag` beside the nodes of `@lezer/markdown`. */
export const parser = markdownParser.configure([GFM, daybook, parseCode({ codeParser })])

/** Some longer paragraphs take the square of their length, and none can be interrupted: they are plain, as in the preview. */
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
  { tag: marked, class: 'md-marked' },
  { tag: math, class: 'md-math' },
  ...codeStyles,
])
