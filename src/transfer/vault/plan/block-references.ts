import type { TextSpan } from '../../../lib/markdown-lines.ts'
import { asLabel } from '../../../lib/wiki-links.ts'
import type { LinkContext } from './links.ts'

/** A reference of Logseq to a block of any page. */
const REFERENCE = /\(\(([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\)\)/g
const MAX_LABEL = 80

/** The references to blocks in a line, as links to their notes that show the beginning of the block. */
export function* blockReferences(context: LinkContext, line: TextSpan) {
  if (!line.text.includes('((')) return
  for (const { 0: whole, 1: id = '', index } of line.text.matchAll(REFERENCE)) {
    const block = context.linkTargets.blockWith(id)
    if (!block) continue
    const target = context.targetFor(block.note)
    const label = [...asLabel(block.text).replaceAll('|', '-').trim()].slice(0, MAX_LABEL).join('')
    const start = line.start + index
    const text = label === '' || label === target ? `[[${target}]]` : `[[${target}|${label}]]`
    yield { start, end: start + whole.length, text }
  }
}
