import { type Extracted, oneLine, PageCollector } from './document.ts'
import {
  type Attributes,
  attributeOf,
  openPackage,
  type Parts,
  partOf,
  readXml,
  relationshipId,
  relationshipsOf,
  type XmlReader,
} from './package.ts'

const PRESENTATION = 'ppt/presentation.xml'
const NOTES = 'ppt/notesSlides/'
const WANTED =
  /^ppt\/(?:presentation\.xml|_rels\/presentation\.xml\.rels|slides\/(?:[^/]+\.xml|_rels\/[^/]+\.rels)|notesSlides\/[^/]+\.xml)$/

/** The parts of the slides in the order in which they are shown. */
function slidesOf(parts: Parts): string[] {
  const targets = relationshipsOf(parts, PRESENTATION)
  const slides: string[] = []
  readXml(partOf(parts, PRESENTATION), {
    open: (name, attributes) => {
      if (name === 'sldId') slides.push(targets.get(relationshipId(attributes) ?? '') ?? '')
    },
  })
  return slides
}

const TITLES = new Set(['title', 'ctrTitle'])

/** What stands on every page of notes: the slide itself, its number, the date. */
const BESIDE_NOTES = new Set(['sldImg', 'sldNum', 'dt', 'hdr', 'ftr'])

/** The text of a slide or its notes: every paragraph is a line, cells of a table stand in a line of their own row. */
class SlideText implements XmlReader {
  title = ''
  readonly lines: string[] = []
  #line = ''
  #cells: string[] | undefined
  #isText = false
  /** What the shape at hand is the place for. */
  #place = ''

  constructor(readonly isLeftOut: (place: string) => boolean = () => false) {}

  open(name: string, attributes: Attributes): void {
    if (name === 'sp') this.#place = ''
    else if (name === 'ph') this.#place = attributeOf(attributes, 'type') ?? ''
    else if (name === 'tr') this.#cells = []
    else if (name === 'tc') this.#cells?.push('')
    else if (name === 't') this.#isText = !this.isLeftOut(this.#place)
    else if (name === 'br') this.#line += '\n'
  }

  close(name: string): void {
    if (name === 't') this.#isText = false
    else if (name === 'p') this.#endParagraph()
    else if (name === 'tr') this.#endRow()
    else if (name === 'sp') this.#place = ''
  }

  text(text: string): void {
    if (this.#isText) this.#line += text
  }

  #endParagraph(): void {
    const text = this.#line.trim()
    this.#line = ''
    if (text === '') return
    if (TITLES.has(this.#place)) this.title = `${this.title} ${text}`
    if (this.#cells) this.#cells.push(`${this.#cells.pop() ?? ''} ${text}`.trim())
    else this.lines.push(text)
  }

  #endRow(): void {
    this.lines.push((this.#cells ?? []).join('\t').trimEnd())
    this.#cells = undefined
  }
}

/** What the speaker says to a slide. */
function notesOf(parts: Parts, slide: string): string[] {
  const notes = new SlideText((place) => BESIDE_NOTES.has(place))
  for (const target of relationshipsOf(parts, slide).values()) {
    const part = target.startsWith(NOTES) ? parts.get(target) : undefined
    if (part) readXml(part, notes)
  }
  return notes.lines
}

/** The text of a presentation, one page a slide with its notes below; the titles are the outline. */
export function readPptx(bytes: Uint8Array): Extracted {
  const parts = openPackage(bytes, WANTED)
  const collector = new PageCollector()
  for (const name of slidesOf(parts)) {
    const slide = new SlideText()
    readXml(partOf(parts, name), slide)
    const text = [slide.lines, notesOf(parts, name)].map((lines) => lines.join('\n'))
    const page = collector.add(text.join('\n\n'))
    collector.addSection(oneLine(slide.title) || `Slide ${page}`, 1, page)
  }
  return collector.finish()
}
