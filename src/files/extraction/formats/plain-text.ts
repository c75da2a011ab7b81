import { findEncoding } from '../../../lib/encoding-finder.ts'
import { headingText } from '../../../lib/text.ts'
import { cleanText, type ExtractedText, FlowingText, oneLine } from '../pages.ts'

/**
 * Decodes UTF-8, UTF-16, or the encoding that suits the text best. Text that suits none is Windows-1252, in which every
 * byte is a character.
 */
export function decodeText(bytes: Uint8Array): string {
  const { encoding = 'windows-1252', isDamaged } = findEncoding(bytes)
  return new TextDecoder(isDamaged ? 'utf-8' : (encoding as 'utf-8')).decode(bytes)
}

export function readPlain(bytes: Uint8Array): ExtractedText {
  const flow = new FlowingText()
  flow.block(decodeText(bytes))
  return flow.finish()
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}(#{1,6})[ \t](.*)$/s
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/

/** Front matter is skipped: its last line above the dashes would look like a heading. */
const FRONT_MATTER = /^---[ \t]*\n(?:[\s\S]*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|$)/

/** Markdown source, unchanged; its headings, outside front matter and fenced code, are the outline. */
export function readMarkdown(bytes: Uint8Array): ExtractedText {
  const flow = new FlowingText()
  const text = cleanText(decodeText(bytes))
  flow.block(text)
  let fence = ''
  let at = FRONT_MATTER.exec(text)?.[0].length ?? 0
  let before = ''
  for (const line of text.slice(at).split('\n')) {
    const [, run = ''] = FENCE.exec(line) ?? []
    if (fence !== '') {
      if (run.startsWith(fence) && line.trim() === run) fence = ''
    } else if (run !== '') fence = run
    else {
      const [, hashes, words = ''] = HEADING.exec(line) ?? []
      if (hashes !== undefined)
        flow.markHeading({ title: oneLine(headingText(words)), level: hashes.length, at })
      const [, underline] = isParagraph(before) ? (UNDERLINE.exec(line) ?? []) : []
      if (underline !== undefined) {
        const level = underline.startsWith('=') ? 1 : 2
        flow.markHeading({ title: oneLine(before), level, at: at - before.length - 1 })
      }
    }
    at += line.length + 1
    before = fence === '' ? line : ''
  }
  return flow.finish()
}

/** Whether this line becomes a heading when a line of `=` or `-` follows. */
const isParagraph = (line: string): boolean =>
  line.trim() !== '' &&
  !HEADING.test(line) &&
  !/^ {0,3}(?:[-*+>|]|\d{1,9}[.)])/.test(line) &&
  !/^(?: {4}|\t)/.test(line)
