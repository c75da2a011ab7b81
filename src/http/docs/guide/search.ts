import { memoizeByObject } from '../../../lib/bounded-cache.ts'
import { fold } from '../../../lib/text.ts'
import { anchorOf, GUIDE_PAGES, type GuidePage, shownText, withoutPictures } from './pages.ts'

/** The part of a page below one heading. */
interface Section {
  readonly page: GuidePage
  readonly heading: string
  readonly text: string
  /** The folded text for searching. */
  readonly folded: string
  readonly foldedHeading: string
}

export interface GuideHit {
  readonly page: GuidePage
  /** Empty for the beginning of a page. */
  readonly heading: string
  readonly anchor: string
  /** The text around the first match, in three parts; the middle one is the match. */
  readonly excerpt: readonly [string, string, string]
}

const MAX_WORDS = 10
const MAX_HITS = 20
const EXCERPT_BEFORE = 60
const EXCERPT_LENGTH = 180

/** The text without Markdown syntax, on one line. */
const plain = (markdown: string): string =>
  withoutPictures(markdown)
    .replace(/\[([^[\]\n]*)\]\([^()\s]*\)/g, '$1')
    .replace(/^```\w*$/gm, ' ')
    .replace(/\*\*|`|^\|[ |-]*\|$/gm, '')
    .replace(/^\| | \|$/gm, '')
    .replace(/ \| /g, ' · ')
    .replace(/\\(?=[|<*])/g, '')
    .replace(/\s+/g, ' ')
    .trim()

const sectionsOf = memoizeByObject((page: GuidePage): Section[] => {
  const [start = '', ...parts] = shownText(page).split(/^## /m)
  const introduction = start.slice(start.indexOf('\n') + 1)
  return [`\n${introduction}`, ...parts].map((part) => {
    const end = part.indexOf('\n')
    const heading = part.slice(0, end).replaceAll('`', '')
    const text = plain(part.slice(end + 1))
    const foldedHeading = fold(`${page.title} ${heading}`)
    return { page, heading, text, folded: `${foldedHeading}\n${fold(text)}`, foldedHeading }
  })
})

function excerptOf(text: string, words: readonly string[]): GuideHit['excerpt'] {
  const folded = fold(text)
  const found = words.map((word) => ({ word, at: folded.indexOf(word) })).filter(({ at }) => at !== -1)
  const { word, at } = found.sort((left, right) => left.at - right.at)[0] ?? { word: '', at: 0 }
  const from = at <= EXCERPT_BEFORE ? 0 : text.indexOf(' ', at - EXCERPT_BEFORE) + 1
  const end = at + word.length
  return [
    `${from > 0 ? '… ' : ''}${text.slice(Math.min(from, at), at)}`,
    text.slice(at, end),
    text.length <= from + EXCERPT_LENGTH
      ? text.slice(end)
      : `${text.slice(end, Math.max(end, text.lastIndexOf(' ', from + EXCERPT_LENGTH)))} …`,
  ]
}

/** Finds the sections with every word; those with words in their headings come first. At most 20. */
export function searchGuide(query: string): GuideHit[] {
  const words = fold(query).split(/\s+/).filter(Boolean).slice(0, MAX_WORDS)
  if (words.length === 0) return []
  const inHeading = ({ foldedHeading }: Section) =>
    words.filter((word) => foldedHeading.includes(word)).length
  return GUIDE_PAGES.flatMap(sectionsOf)
    .filter(({ folded }) => words.every((word) => folded.includes(word)))
    .toSorted((left, right) => inHeading(right) - inHeading(left))
    .slice(0, MAX_HITS)
    .map(({ page, heading, text }) => ({
      page,
      heading,
      anchor: heading === '' ? '' : `#${anchorOf(heading)}`,
      excerpt: excerptOf(text, words),
    }))
}
