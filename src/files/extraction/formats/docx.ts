import { type ExtractedText, FlowingText } from '../pages.ts'
import {
  type Attributes,
  attributeOf,
  openPackage,
  type Parts,
  partOf,
  readXml,
  type XmlHandler,
} from './ooxml.ts'

/** Some programs add a number to its name. */
const DOCUMENT = /^word\/document\d*\.xml$/
const STYLES = 'word/styles.xml'
const NOTES = ['word/footnotes.xml', 'word/endnotes.xml', 'word/comments.xml']
const HEADERS_AND_FOOTERS = /^word\/(?:header|footer)\d*\.xml$/
const WANTED = /^word\/(?:document\d*|styles|footnotes|endnotes|comments|(?:header|footer)\d*)\.xml$/

const DEEPEST_LEVEL = 9

/** `outlineLvl` counts from 0, and 9 is body text. */
function outlineLevel(attributes: Attributes): number | undefined {
  const level = Number(attributeOf(attributes, 'val') ?? Number.NaN) + 1
  return level >= 1 && level <= DEEPEST_LEVEL ? level : undefined
}

interface Style {
  level?: number
  basedOn?: string
}

/** The heading level of every paragraph style that has one, by its id. */
function headingLevels(part: Uint8Array | undefined): (style: string) => number | undefined {
  const styles = new Map<string, Style>()
  let current: Style = {}
  if (part) {
    readXml(part, {
      open: (name, attributes) => {
        if (name === 'style') {
          current = {}
          styles.set(attributeOf(attributes, 'styleId') ?? '', current)
        }
        if (name === 'basedOn') current.basedOn = attributeOf(attributes, 'val')
        if (name === 'outlineLvl') current.level = outlineLevel(attributes)
        const [, number] =
          name === 'name' ? (/^heading ([1-9])$/i.exec(attributeOf(attributes, 'val') ?? '') ?? []) : []
        if (number !== undefined) current.level ??= Number(number)
      },
    })
  }
  return (style) => {
    let found = styles.get(style)
    if (!found) return builtInLevel(style)
    for (let steps = 0; found && found.level === undefined && steps < DEEPEST_LEVEL; steps++) {
      found = styles.get(found.basedOn ?? '')
    }
    return found?.level
  }
}

/** The level of a built-in heading of Word, which small programs may use without a definition. */
function builtInLevel(style: string): number | undefined {
  const [, level] = /^Heading([1-9])$/.exec(style) ?? []
  return level === undefined ? undefined : Number(level)
}

interface Paragraph {
  text: string
  level?: number
}

/** Elements that repeat other text: fallbacks for older programs, the old place of moved text, pronunciation. */
const DUPLICATES = new Set(['Fallback', 'moveFrom', 'rt'])

/** Collects paragraphs and table rows in order. Paragraphs nest through text boxes, rows through tables in cells. */
class WordText implements XmlHandler {
  readonly #paragraphs: Paragraph[] = []
  readonly #rows: string[][] = []
  #isText = false
  #duplicates = 0

  constructor(
    readonly flow: FlowingText,
    readonly levelOf: (style: string) => number | undefined,
  ) {}

  open(name: string, attributes: Attributes): void {
    const paragraph = this.#paragraphs.at(-1)
    if (DUPLICATES.has(name)) this.#duplicates += 1
    else if (name === 'p') this.#paragraphs.push({ text: '' })
    else if (name === 'tr') this.#rows.push([])
    else if (name === 'tc') this.#rows.at(-1)?.push('')
    else if (name === 't') this.#isText = true
    else if (!paragraph) return
    else if (name === 'tab') paragraph.text += '\t'
    else if (name === 'br' || name === 'cr') paragraph.text += '\n'
    else if (name === 'noBreakHyphen') paragraph.text += '-'
    else if (name === 'pStyle') paragraph.level ??= this.levelOf(attributeOf(attributes, 'val') ?? '')
    else if (name === 'outlineLvl') paragraph.level = outlineLevel(attributes)
  }

  close(name: string): void {
    if (DUPLICATES.has(name)) this.#duplicates -= 1
    else if (name === 't') this.#isText = false
    else if (name === 'p') this.#endParagraph(this.#paragraphs.pop())
    else if (name === 'tr') this.#endRow(this.#rows.pop() ?? [])
  }

  text(text: string): void {
    const paragraph = this.#paragraphs.at(-1)
    if (this.#isText && paragraph && this.#duplicates === 0) paragraph.text += text
  }

  #endParagraph(paragraph: Paragraph | undefined): void {
    const text = paragraph?.text.trim() ?? ''
    if (text === '') return
    if (this.#rows.length > 0) this.#addToCell(text)
    else if (paragraph?.level === undefined) this.flow.block(text)
    else this.flow.heading(text, paragraph.level)
  }

  #endRow(cells: string[]): void {
    const line = cells.join('\t').trimEnd()
    if (this.#rows.length > 0) this.#addToCell(line)
    else if (line !== '') this.flow.line(line)
  }

  #addToCell(text: string): void {
    const cells = this.#rows.at(-1)
    const cell = cells?.pop() ?? ''
    cells?.push(cell === '' ? text : `${cell} ${text}`)
  }
}

function readPart(parts: Parts, name: string, reader: WordText): void {
  const part = parts.get(name)
  if (part) readXml(part, reader)
}

/** The distinct texts of headers and footers. Texts without letters, such as page numbers, are omitted. */
function headersAndFooters(parts: Parts): Set<string> {
  const names = [...parts.keys()].filter((name) => HEADERS_AND_FOOTERS.test(name)).sort()
  const texts = names.map((name) => {
    const flow = new FlowingText()
    readPart(parts, name, new WordText(flow, () => undefined))
    return flow.finish().pages.join('\n')
  })
  return new Set(texts.filter((text) => /\p{L}/u.test(text)))
}

/** The text of a Word document, followed by its notes, comments, headers and footers; the headings are the outline. */
export function readDocx(bytes: Uint8Array): ExtractedText {
  const parts = openPackage(bytes, WANTED)
  const flow = new FlowingText()
  const reader = new WordText(flow, headingLevels(parts.get(STYLES)))
  const document = [...parts.keys()].find((name) => DOCUMENT.test(name)) ?? ''
  readXml(partOf(parts, document), reader)
  for (const name of NOTES) readPart(parts, name, reader)
  for (const text of headersAndFooters(parts)) flow.block(text)
  return flow.finish()
}
