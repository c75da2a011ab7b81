import { Parser } from 'htmlparser2'
import type { Extracted } from './document.ts'
import { Flow } from './flow.ts'
import { decodeText, markedEncoding } from './plain.ts'

/** What they hold is not for readers, or says only how a word is pronounced, in the midst of it. */
const HIDDEN = new Set('script style title template noscript svg object iframe rt rp'.split(' '))

/** They begin and end a paragraph. */
const BLOCKS = new Set(
  'address article aside blockquote body dd div dl dt fieldset figcaption figure footer form header hr main nav ol p pre section table ul'.split(
    ' ',
  ),
)

/** They begin and end a line. */
const LINES = new Set(['li', 'tr', 'caption', 'option'])

const HEADING = /^h([1-6])$/

/** Holds the text of the paragraph or line that is being read. */
class HtmlText {
  readonly flow = new Flow()
  #text = ''
  #hidden = 0
  #preformatted = 0
  /** A line that comes next stands apart from what was before. */
  #standsApart = false

  open(name: string): void {
    if (HIDDEN.has(name)) this.#hidden += 1
    if (BLOCKS.has(name) || HEADING.test(name)) this.#end('block')
    if (LINES.has(name)) this.#end('line')
    if (name === 'pre') this.#preformatted += 1
    if (name === 'br') this.#text += '\n'
    if ((name === 'td' || name === 'th') && this.#text !== '') this.#text += '\t'
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
      this.#text += text
      return
    }
    const words = text.replace(/[ \t\r\n\f]+/g, ' ')
    this.#text += /\S/.test(this.#text.at(-1) ?? '') ? words : words.trimStart()
  }

  finish(): Extracted {
    this.#end('block')
    return this.flow.finish()
  }

  #end(as: 'block' | 'line'): void {
    const text = this.#preformatted > 0 ? this.#text.trimEnd() : this.#text.trim()
    if (text.trim() !== '') {
      if (this.#standsApart) this.flow.block(text)
      else this.flow[as](text)
      this.#standsApart = false
    }
    if (as === 'block') this.#standsApart = true
    this.#text = ''
  }

  #endHeading(level: number): void {
    this.flow.heading(this.#text, level)
    this.#text = ''
  }
}

/** In the encoding that the page names, when it has no byte order mark and names one we know. */
function decodeHtml(bytes: Uint8Array): string {
  const beginning = new TextDecoder('windows-1252').decode(bytes.subarray(0, 1_024))
  const named = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{2,40})/i.exec(beginning)?.[1]
  if (markedEncoding(bytes) !== undefined || named === undefined) return decodeText(bytes)
  try {
    const decoder = new TextDecoder(named as Bun.Encoding)
    // A page in UTF-16 could not be read up to here.
    return decoder.encoding.startsWith('utf-16') ? decodeText(bytes) : decoder.decode(bytes)
  } catch {
    return decodeText(bytes)
  }
}

/** The text that a browser would show, roughly in its lines; the headings are the outline. */
export function readHtml(bytes: Uint8Array): Extracted {
  const page = new HtmlText()
  const parser = new Parser({
    onopentagname: (name) => page.open(name),
    onclosetag: (name) => page.close(name),
    ontext: (text) => page.text(text),
  })
  parser.end(decodeHtml(bytes))
  return page.finish()
}
