import { Parser } from 'htmlparser2'
import { markedEncoding } from '../../../lib/decoders.ts'
import { type ExtractedText, FlowingText } from '../pages.ts'
import { decodeText } from './plain-text.ts'

/** Elements whose text is hidden, or only gives the pronunciation of a word. */
const HIDDEN = new Set('script style title template noscript svg object iframe rt rp'.split(' '))

/** Elements that begin and end a paragraph. */
const BLOCKS = new Set(
  'address article aside blockquote body dd div dl dt fieldset figcaption figure footer form header hr main nav ol p pre section table ul'.split(
    ' ',
  ),
)

/** Elements that begin and end a line. */
const LINES = new Set(['li', 'tr', 'caption', 'option'])

const HEADING = /^h([1-6])$/

/** Collects the text of a page; `#text` holds the current paragraph or line. */
class HtmlText {
  readonly flow = new FlowingText()
  #text = ''
  /** Whether `#text` ends in other than white space. Reading its end would concatenate everything added so far. */
  #endsInWord = false
  #hidden = 0
  #preformatted = 0
  /** Whether a blank line precedes the next line. */
  #isAfterBlock = false

  open(name: string): void {
    if (HIDDEN.has(name)) this.#hidden += 1
    if (BLOCKS.has(name) || HEADING.test(name)) this.#end('block')
    if (LINES.has(name)) this.#end('line')
    if (name === 'pre') this.#preformatted += 1
    if (name === 'br') this.#add('\n')
    if ((name === 'td' || name === 'th') && this.#text !== '') this.#add('\t')
  }

  close(name: string): void {
    if (HIDDEN.has(name)) this.#hidden -= 1
    const level = HEADING.exec(name)?.[1]
    if (level !== undefined) this.#endHeading(Number(level))
    if (BLOCKS.has(name)) this.#end('block')
    if (LINES.has(name)) this.#end('line')
    if (name === 'pre') this.#preformatted -= 1
  }

  text(text: string): void {
    if (this.#hidden > 0) return
    if (this.#preformatted > 0) {
      this.#add(text)
      return
    }
    const words = text.replace(/[ \t\r\n\f]+/g, ' ')
    this.#add(this.#endsInWord ? words : words.trimStart())
  }

  #add(text: string): void {
    if (text === '') return
    this.#text += text
    this.#endsInWord = /\S$/.test(text)
  }

  finish(): ExtractedText {
    this.#end('block')
    return this.flow.finish()
  }

  #end(as: 'block' | 'line'): void {
    const text = this.#preformatted > 0 ? this.#text.trimEnd() : this.#text.trim()
    if (text.trim() !== '') {
      if (this.#isAfterBlock) this.flow.block(text)
      else this.flow[as](text)
      this.#isAfterBlock = false
    }
    if (as === 'block') this.#isAfterBlock = true
    this.#text = ''
    this.#endsInWord = false
  }

  #endHeading(level: number): void {
    this.flow.heading(this.#text, level)
    this.#text = ''
    this.#endsInWord = false
  }
}

/** Decodes by the byte order mark, else by the encoding that the page declares if it is a known one. */
function decodeHtml(bytes: Uint8Array): string {
  const beginning = new TextDecoder('windows-1252').decode(bytes.subarray(0, 1_024))
  const named =
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{2,40})/i.exec(beginning)?.[1] ??
    /^<\?xml[^>]{0,200}encoding\s*=\s*["']([\w-]{2,40})/i.exec(beginning)?.[1]
  if (markedEncoding(bytes) !== undefined || named === undefined) return decodeText(bytes)
  try {
    const decoder = new TextDecoder(named as Bun.Encoding)
    // If it were UTF-16, this declaration could not have been read.
    return decoder.encoding.startsWith('utf-16') ? decodeText(bytes) : decoder.decode(bytes)
  } catch {
    return decodeText(bytes)
  }
}

/** The text that a browser would show, roughly with its line breaks; the headings are the outline. */
export function readHtml(bytes: Uint8Array): ExtractedText {
  const page = new HtmlText()
  const parser = new Parser({
    onopentagname: (name) => page.open(name),
    onclosetag: (name) => page.close(name),
    ontext: (text) => page.text(text),
  })
  parser.end(decodeHtml(bytes))
  return page.finish()
}
