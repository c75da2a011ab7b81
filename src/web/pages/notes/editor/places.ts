import { signal } from '@preact/signals'

/** A heading in the text of a note. */
export interface Heading {
  readonly level: number
  readonly text: string
  /** Where its line begins. */
  readonly at: number
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const MARKS = /!?\[\[(?:[^[\]|\n]{0,500}\|)?|\]\]|\*\*|__|[*_`~]/g

/** A heading may end with the marks that it begins with, after a blank. */
function withoutEnd(words: string): string {
  let end = words.length
  while (words[end - 1] === '#') end--
  return end > 0 && /\s/.test(words[end - 1] ?? '') ? words.slice(0, end).trimEnd() : words
}

/** Whether a line may be a heading or a fence, by its first character; a long text is gone through in no time. */
function isMarked(text: string, from: number): boolean {
  let at = from
  while (at < from + 3 && text[at] === ' ') at++
  return text[at] === '#' || text[at] === '`' || text[at] === '~'
}

/** The headings of a text, in order; code has none. */
export function headingsOf(text: string): Heading[] {
  const headings: Heading[] = []
  let fence: string | undefined
  for (let at = 0, end = 0; at < text.length; at = end + 1) {
    end = text.indexOf('\n', at)
    if (end === -1) end = text.length
    if (!isMarked(text, at)) continue
    const line = text.slice(at, end)
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) fence = mark?.startsWith(fence) ? undefined : fence
    else if (mark) fence = mark
    else {
      const [, level, words] = HEADING.exec(line.trimEnd()) ?? []
      if (level && words)
        headings.push({ level: level.length, text: withoutEnd(words).replace(MARKS, ''), at })
    }
  }
  return headings
}

/** Goes to a place of the text in the editor that is open; undefined while there is none. */
export const goToPlace = signal<((at: number) => void) | undefined>(undefined)

/** Goes to a heading, where a note is written or where it is read. */
export function goToHeading(heading: Heading, before: readonly Heading[]): void {
  const goTo = goToPlace.peek()
  if (goTo) {
    goTo(heading.at)
    return
  }
  const isSame = ({ textContent }: Element) => textContent?.trim() === heading.text.trim()
  const shown = [...document.querySelectorAll('#note .read :is(h3, h4, h5, h6)')].filter(isSame)
  shown[Math.min(before.length, shown.length - 1)]?.scrollIntoView({ block: 'start' })
}
