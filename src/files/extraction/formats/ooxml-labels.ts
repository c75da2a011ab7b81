import { oneLine } from '../pages.ts'
import { type Parts, readXml, relationshipsOf } from './ooxml.ts'

/** A chart stores the texts of its cells in one of these. */
const CACHES = new Set(['strCache', 'multiLvlStrCache'])

/** Elements after which a line ends: a paragraph, a cell of a chart, a comment. */
const LINES = new Set(['p', 'pt', 'comment'])

/** The texts of a chart, a diagram or the comments of a sheet, each once. */
function labelsOf(part: Uint8Array): Set<string> {
  const labels = new Set<string>()
  let line = ''
  let caches = 0
  let isText = false
  readXml(part, {
    open: (name) => {
      if (CACHES.has(name)) caches += 1
      isText = name === 't' || (name === 'v' && caches > 0)
    },
    close: (name) => {
      isText = false
      if (CACHES.has(name)) caches -= 1
      if (!LINES.has(name)) return
      if (line.trim() !== '') labels.add(oneLine(line))
      line = ''
    },
    text: (text) => {
      if (isText) line += text
    },
  })
  return labels
}

/** The texts of the parts, among those named by `wanted`, that belong to a slide or sheet. */
export function relatedLabels(parts: Parts, name: string, wanted: RegExp): string[] {
  const related = [...new Set(relationshipsOf(parts, name).values())].filter((target) => wanted.test(target))
  return related.flatMap((target) => {
    const part = parts.get(target)
    return part ? [...labelsOf(part)] : []
  })
}
