import {
  cleanText,
  type Extracted,
  MOST_SECTIONS,
  oneLine,
  PageCollector,
  pageEnd,
  refuseTooMuch,
} from './document.ts'

/** About so many characters of flowing text make a page (contract, section 8). */
const PAGE_LENGTH = 3_000

/** A last page may be so much longer, rather than leave a scrap of text alone. */
const LAST_PAGE_LENGTH = 3_600

interface Heading {
  title: string
  level: number
  /** Where in the text it begins. */
  at: number
}

/** Text without pages of its own: it is written down in order, and cut into pages at the end. */
export class Flow {
  #text = ''
  #headings: Heading[] = []

  /** Text that begins a line. */
  line(text: string): void {
    this.#append(this.#text === '' ? '' : '\n', cleanText(text))
  }

  /** Text with a blank line before it. */
  block(text: string): void {
    this.#append(this.#text === '' ? '' : '\n\n', cleanText(text))
  }

  heading(title: string, level: number): void {
    const shown = oneLine(title)
    if (shown === '') return
    this.block(shown)
    this.markHeading({ title: shown, level, at: this.#text.length - shown.length })
  }

  /** Notes that a line of the text written so far is a heading. */
  markHeading(heading: Heading): void {
    if (this.#headings.length < MOST_SECTIONS) this.#headings.push(heading)
  }

  finish(): Extracted {
    const collector = new PageCollector()
    const text = this.#text
    let at = 0
    for (let from = 0; from === 0 || from < text.length; ) {
      const isLast = text.length - from <= LAST_PAGE_LENGTH
      const end = isLast ? text.length : pageEnd(text, from, PAGE_LENGTH)
      const page = collector.add(text.slice(from, end))
      for (; (this.#headings[at]?.at ?? end) < end; at++) {
        const { title, level } = this.#headings[at] as Heading
        collector.addSection(title, level, page)
      }
      from = Math.max(end, 1)
    }
    return collector.finish()
  }

  #append(separator: string, text: string): void {
    if (text === '') return
    this.#text += separator + text
    refuseTooMuch(this.#text.length)
  }
}
