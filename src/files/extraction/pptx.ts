import { type Extracted, oneLine, PageCollector } from './document.ts'
import {
  attributeOf,
  openPackage,
  type Parts,
  partOf,
  readXml,
  relationshipId,
  relationshipsOf,
} from './package.ts'

const PRESENTATION = 'ppt/presentation.xml'
const WANTED = /^ppt\/(?:presentation\.xml|_rels\/presentation\.xml\.rels|slides\/[^/]+\.xml)$/

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

interface Slide {
  title: string
  lines: string[]
}

/** Every paragraph is a line, cells of a table stand in a line of their own row. */
function readSlide(part: Uint8Array): Slide {
  const slide: Slide = { title: '', lines: [] }
  let line = ''
  let cells: string[] | undefined
  let isTitle = false
  let isText = false
  const endParagraph = () => {
    const text = line.trim()
    line = ''
    if (text === '') return
    if (isTitle) slide.title = `${slide.title} ${text}`
    if (cells) cells.push(`${cells.pop() ?? ''} ${text}`.trim())
    else slide.lines.push(text)
  }
  const endRow = () => {
    slide.lines.push((cells ?? []).join('\t').trimEnd())
    cells = undefined
  }
  readXml(part, {
    open: (name, attributes) => {
      if (name === 'sp') isTitle = false
      else if (name === 'ph') isTitle = TITLES.has(attributeOf(attributes, 'type') ?? '')
      else if (name === 'tr') cells = []
      else if (name === 'tc') cells?.push('')
      else if (name === 't') isText = true
      else if (name === 'br') line += '\n'
    },
    close: (name) => {
      if (name === 't') isText = false
      else if (name === 'p') endParagraph()
      else if (name === 'tr') endRow()
      else if (name === 'sp') isTitle = false
    },
    text: (text) => {
      if (isText) line += text
    },
  })
  return slide
}

/** The text of a presentation, one page a slide; the titles are the outline. */
export function readPptx(bytes: Uint8Array): Extracted {
  const parts = openPackage(bytes, WANTED)
  const collector = new PageCollector()
  for (const name of slidesOf(parts)) {
    const { title, lines } = readSlide(partOf(parts, name))
    const page = collector.add(lines.join('\n'))
    collector.addSection(oneLine(title) || `Slide ${page}`, 1, page)
  }
  return collector.finish()
}
