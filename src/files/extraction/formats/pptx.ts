import { type ExtractedText, oneLine, PageCollector } from '../pages.ts'
import {
  type Attributes,
  attributeOf,
  openPackage,
  type Parts,
  partOf,
  readXml,
  relatedLabels,
  relationshipId,
  relationshipsOf,
  type XmlHandler,
} from './ooxml.ts'

const PRESENTATION = 'ppt/presentation.xml'
const NOTES = 'ppt/notesSlides/'
const WANTED =
  /^ppt\/(?:presentation\.xml|_rels\/presentation\.xml\.rels|slides\/(?:[^/]+\.xml|_rels\/[^/]+\.rels)|notesSlides\/[^/]+\.xml|charts\/chart[^/]*\.xml|diagrams\/data[^/]*\.xml)$/
const CHARTS_AND_DIAGRAMS = /^ppt\/(?:charts\/chart|diagrams\/data)/

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

/** Placeholders on a notes page that are not the notes: the slide image, its number, the date, header and footer. */
const NOT_NOTES = new Set(['sldImg', 'sldNum', 'dt', 'hdr', 'ftr'])

/** Collects the text of a slide or its notes: each paragraph is a line, and so is each row of a table. */
class SlideText implements XmlHandler {
  title = ''
  readonly lines: string[] = []
  #line = ''
  #cells: string[] | undefined
  #isText = false
  /** The placeholder type of the current shape; empty if it is no placeholder. */
  #placeholder = ''

  constructor(readonly isLeftOut: (placeholder: string) => boolean = () => false) {}

  open(name: string, attributes: Attributes): void {
    if (name === 'sp') this.#placeholder = ''
    else if (name === 'ph') this.#placeholder = attributeOf(attributes, 'type') ?? ''
    else if (name === 'tr') this.#cells = []
    else if (name === 'tc') this.#cells?.push('')
    else if (name === 't') this.#isText = !this.isLeftOut(this.#placeholder)
    else if (name === 'br') this.#line += '\n'
  }

  close(name: string): void {
    if (name === 't') this.#isText = false
    else if (name === 'p') this.#endParagraph()
    else if (name === 'tr') this.#endRow()
    else if (name === 'sp') this.#placeholder = ''
  }

  text(text: string): void {
    if (this.#isText) this.#line += text
  }

  #endParagraph(): void {
    const text = this.#line.trim()
    this.#line = ''
    if (text === '') return
    if (TITLES.has(this.#placeholder)) this.title = `${this.title} ${text}`
    if (this.#cells) this.#cells.push(`${this.#cells.pop() ?? ''} ${text}`.trim())
    else this.lines.push(text)
  }

  #endRow(): void {
    this.lines.push((this.#cells ?? []).join('\t').trimEnd())
    this.#cells = undefined
  }
}

function notesOf(parts: Parts, slide: string): string[] {
  const notes = new SlideText((place) => NOT_NOTES.has(place))
  for (const target of relationshipsOf(parts, slide).values()) {
    const part = target.startsWith(NOTES) ? parts.get(target) : undefined
    if (part) readXml(part, notes)
  }
  return notes.lines
}

/** The text of a presentation: one page per slide, with its charts, diagrams and notes. The titles are the outline. */
export function readPptx(bytes: Uint8Array): ExtractedText {
  const parts = openPackage(bytes, WANTED)
  const collector = new PageCollector()
  for (const name of slidesOf(parts)) {
    const slide = new SlideText()
    readXml(partOf(parts, name), slide)
    const labels = relatedLabels(parts, name, CHARTS_AND_DIAGRAMS)
    const text = [slide.lines, labels, notesOf(parts, name)].map((lines) => lines.join('\n'))
    const page = collector.add(text.filter((block) => block !== '').join('\n\n'))
    collector.addSection(oneLine(slide.title) || `Slide ${page}`, 1, page)
  }
  return collector.finish()
}
