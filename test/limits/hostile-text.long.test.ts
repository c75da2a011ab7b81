import { expect, test } from 'bun:test'
import { createParser } from 'eventsource-parser'
import { estimateTokens } from '../../src/clients/mcp/text/fit.ts'
import { snippetText } from '../../src/clients/mcp/text/markdown.ts'
import { ResponseParser } from '../../src/events/delivery/client/response-parser.ts'
import { verifyDelivery } from '../../src/events/delivery/verify-signature.ts'
import { readHtml } from '../../src/files/extraction/formats/html.ts'
import { readMarkdown } from '../../src/files/extraction/formats/plain-text.ts'
import { oneLine } from '../../src/files/extraction/pages.ts'
import { shownMarkdown } from '../../src/lib/markdown.ts'
import { proseIn, withoutComments } from '../../src/lib/markdown-comments.ts'
import { fold, headingText } from '../../src/lib/text.ts'
import { lastHeading, linesOutsideCode, parseLinks, withLinks } from '../../src/lib/wiki-links.ts'
import { indexedText, parseSearch } from '../../src/lib/words.ts'
import { snippetOf } from '../../src/search/highlighter.ts'
import { splitFrontMatter } from '../../src/transfer/front-matter.ts'
import { pagesIn } from '../../src/transfer/mirror/response-bytes.ts'
import { type LinkContext, rewriteLinks } from '../../src/transfer/vault/plan/links.ts'
import { nameOf, type VaultNote } from '../../src/transfer/vault/plan/note.ts'
import { bodyTags, tagNameOf } from '../../src/transfer/vault/plan/tags.ts'
import { fileNameOf } from '../../src/transfer/workspace/format.ts'
import { diffLines, linesOf } from '../../src/web/data/line-diff.ts'
import { hasManyCases } from '../support/counts.ts'
import { measureProcessorTime } from '../support/processor-time.ts'

/*
 * Callers can send arbitrary texts. Processing time is linear in the length of a text, so that no text can block the
 * server, a tab or an import.
 */

const LENGTH = 1_000_000
const QUARTER = LENGTH / 4
/** A text of four times the length takes about four times as long, but sixteen times with quadratic growth. */
const MAX_GROWTH = 8
/** Shorter times are noise: compilation and garbage collection. */
const NOISE_MS = 500
/** A whole text takes less than the noise, even with cubic growth, if its quarter takes less than this. */
const SHORT_MS = NOISE_MS / 64

const bytes = (text: string) => new TextEncoder().encode(text)

/** Reads a response in the chunks in which it arrives. */
function receive(text: string): void {
  const parser = new ResponseParser()
  const whole = Buffer.from(text, 'latin1')
  for (let at = 0; at < whole.length && parser.state === 'more'; at += 16_384)
    parser.feed(whole.subarray(at, at + 16_384))
}

function receiveEvents(text: string): void {
  const parser = createParser({ onEvent: () => {} })
  for (let at = 0; at < text.length; at += 16_384) parser.feed(text.slice(at, at + 16_384))
}

const CONTEXT = { linkTargets: { find: () => undefined } } as unknown as LinkContext
const NOTE = { file: { path: 'a.md' } } as VaultNote
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const phrases = parseSearch('a "b c" foo*')

const FUNCTIONS: Record<string, (text: string) => unknown> = {
  'the head of a response': (text) => receive(`HTTP/1.1 200 OK\r\n${text}`),
  'a header of a response': (text) => receive(`HTTP/1.1 200 OK\r\nConnection: a${text}b\r\n\r\n`),
  'the chunks of a response': (text) =>
    receive(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${text}`),
  'events of a stream': receiveEvents,
  'signatures of a delivery': (text) =>
    verifyDelivery({ headers: new Map([['x-service-signature', text]]), body: Buffer.from(text) }, SECRET, 0),
  'links of a note': (text) => [parseLinks(text), withLinks(text, () => 'x')],
  'the last heading of a note': lastHeading,
  'comments of a note': (text) => [
    withoutComments(text),
    shownMarkdown(`- - ${text}\n\n${text}`),
    [...proseIn(text)],
  ],
  'a heading': headingText,
  'words for the search': indexedText,
  'a snippet': (text) => snippetText(snippetOf([text], phrases)),
  'a folded name': fold,
  'front matter': (text) => splitFrontMatter(`---\n${text}\n---\n`, 'lossless'),
  'a value in front matter': (text) => splitFrontMatter(`---\na: ${text}\n---\n`, 'lossless'),
  'tags in prose': (text) => [...bodyTags([...linesOutsideCode(text)])],
  'a tag': tagNameOf,
  'the title of an imported note': nameOf,
  'links of an imported note': (text) => {
    const body = `[a]: b\n\n${text}`
    return rewriteLinks(CONTEXT, NOTE, body, [...linesOutsideCode(body)])
  },
  'the name of an exported file': fileNameOf,
  'a page of HTML': (text) => readHtml(bytes(text)),
  'a Markdown document': (text) => readMarkdown(bytes(text)),
  'a line of a document': oneLine,
  'pages of a mirrored file': (text) => pagesIn({ text: `=== page 1 ===\n${text}`, pages: '1-3' }, 1),
  'tokens of an answer': estimateTokens,
  'changed lines': (text) => diffLines(linesOf(text), linesOf(`x${text}`)),
}

/** Unclosed openings, runs, escapes, nesting. */
const UNITS = [
  ' ', '\t', '\n', '\r', ' \n', '`', '`x``', '~~~\n', '[', '[[', '[[a|', '[[a]]', ']]', '![', '[a](', '[a][', '[](<',
  '\\[', '<', '<a ', '<a "', '<!--', '#', '#a ', ' #', '# ', '_', '*_', '- ', '- a\n', '>', '1. ', '%%', '$a', '/',
  '.', 'a', 'a b ', '&', 'a: ', 'a: b\n', '"', '{', '[{', '=\n', '|', '\u0301', '中', ',v1=', 'data:', 'data: \n', '0',
] // biome-ignore format: a table

/** Openings of constructs that the text does not complete. */
const BEGUN = [' ', 'a', '"', '[[', '\\[', '<!--', '#a ', '`', '\n']

const filled = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

function timeOf(read: (text: string) => unknown, text: string): number {
  const processorTime = measureProcessorTime()
  read(text)
  return processorTime()
}

test.each(Object.entries(FUNCTIONS))(
  'the time for %s grows no faster than the text, up to 1,000,000 hostile characters',
  (_, read) => {
    const texts = [
      ...UNITS.filter((_, at) => hasManyCases || at % 5 === 0).map((unit) => ['', unit] as const),
      ...BEGUN.map((unit) => ['[[<a `', unit] as const),
    ]
    for (const [beginning, unit] of texts) {
      const quarter = timeOf(read, beginning + filled(unit, QUARTER))
      // With more, a whole text would take minutes.
      expect([unit, quarter < 10_000]).toEqual([unit, true])
      if (quarter < SHORT_MS) continue
      const whole = timeOf(read, beginning + filled(unit, LENGTH))
      expect([unit, whole < MAX_GROWTH * quarter + NOISE_MS || [quarter, whole]]).toEqual([unit, true])
    }
  },
  120_000,
)
