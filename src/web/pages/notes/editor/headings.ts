import { signal } from '@preact/signals'

/** A heading in the text of a note. */
export interface Heading {
  readonly level: number
  readonly text: string
  /** Start of its line. */
  readonly offset: number
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const MARKS = /!?\[\[(?:[^[\]|\n]{0,500}\|)?|\]\]|\*\*|__|[*_`~]/g

/** Removes closing marks after a blank, as in `## Title ##`. */
function withoutClosingMarks(words: string): string {
  let end = words.length
  while (words[end - 1] === '#') end--
  return end > 0 && /\s/.test(words[end - 1] ?? '') ? words.slice(0, end).trimEnd() : words
}

/** A fast check whether a line can be a heading or a fence, by its first character. */
function maybeMarked(text: string, from: number): boolean {
  let offset = from
  while (offset < from + 3 && text[offset] === ' ') offset++
  return text[offset] === '#' || text[offset] === '`' || text[offset] === '~'
}

/** The headings of a text, in order, except those in code blocks. */
export function headingsOf(text: string): Heading[] {
  const headings: Heading[] = []
  let fence: string | undefined
  for (let offset = 0, end = 0; offset < text.length; offset = end + 1) {
    end = text.indexOf('\n', offset)
    if (end === -1) end = text.length
    if (!maybeMarked(text, offset)) continue
    const line = text.slice(offset, end)
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) fence = mark?.startsWith(fence) ? undefined : fence
    else if (mark) fence = mark
    else {
      const [, level, words] = HEADING.exec(line.trimEnd()) ?? []
      if (level && words)
        headings.push({ level: level.length, text: withoutClosingMarks(words).replace(MARKS, ''), offset })
    }
  }
  return headings
}

/** Scrolls the open editor to an offset; undefined while no editor is open. */
export const goToOffset = signal<((offset: number) => void) | undefined>(undefined)

/** Scrolls to a heading in the editor or preview. `before` lists equal headings above it. */
export function goToHeading(heading: Heading, before: readonly Heading[]): void {
  const goTo = goToOffset.peek()
  if (goTo) {
    goTo(heading.offset)
    return
  }
  const isSame = ({ textContent }: Element) => textContent?.trim() === heading.text.trim()
  const shown = [...document.querySelectorAll('#note .read :is(h3, h4, h5, h6)')].filter(isSame)
  shown[Math.min(before.length, shown.length - 1)]?.scrollIntoView({ block: 'start' })
}
