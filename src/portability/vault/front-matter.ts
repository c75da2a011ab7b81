import { parseInstant } from '../../lib/dates.ts'
import { fold } from '../../lib/text.ts'

/** What the front matter of a note says, as far as notes have a place for it; the rest are properties. */
export interface Matter {
  title?: string
  tags: string[]
  aliases: string[]
  createdAt?: number
  updatedAt?: number
  /** By the key as it is written. */
  readonly properties: Map<string, unknown>
}

/** Takes a value; answers false when it has not the form for it, and so is a property like any other. */
type Take = (matter: Matter, value: unknown) => boolean

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** A list of words, or a text that is cut where `between` matches. */
function wordsOf(value: unknown, between: RegExp): string[] | undefined {
  if (isScalar(value)) return String(value).split(between)
  if (!Array.isArray(value)) return undefined
  const words = value.filter((word) => word !== null)
  return words.every(isScalar) ? words.map(String) : undefined
}

const takeTitle: Take = (matter, value) => {
  const title = isScalar(value) ? String(value).trim() : ''
  if (title === '' || matter.title !== undefined) return false
  matter.title = title
  return true
}

const takeTags: Take = (matter, value) => {
  const words = wordsOf(value, /[\s,]+/)?.flatMap((word) => word.split(','))
  matter.tags.push(...(words ?? []))
  return words !== undefined
}

const takeAliases: Take = (matter, value) => {
  const words = wordsOf(value, /,/)?.map((word) => word.trim())
  matter.aliases.push(...(words ?? []).filter((word) => word !== ''))
  return words !== undefined
}

const takeInstant =
  (name: 'createdAt' | 'updatedAt'): Take =>
  (matter, value) => {
    const instant = instantOf(value)
    if (instant === undefined || matter[name] !== undefined) return false
    matter[name] = instant
    return true
  }

const KEYS: readonly [Take, readonly string[]][] = [
  [takeTitle, ['title']],
  [takeTags, ['tags', 'tag']],
  [takeAliases, ['aliases', 'alias']],
  [
    takeInstant('createdAt'),
    ['created', 'created at', 'created date', 'date created', 'creation date', 'ctime'],
  ],
  [
    takeInstant('updatedAt'),
    ['updated', 'updated at', 'date updated', 'last updated', 'mtime'].concat([
      'modified',
      'modified at',
      'modified date',
      'date modified',
      'last modified',
    ]),
  ],
]

/** By the key in lower case, its words divided by blanks. */
const TAKES: ReadonlyMap<string, Take> = new Map(
  KEYS.flatMap(([take, keys]) => keys.map((key) => [key, take])),
)

/** Sorts out what front matter says. No value and an empty text say nothing. */
export function sortedMatter(said: Readonly<Record<string, unknown>>): Matter {
  const matter: Matter = { tags: [], aliases: [], properties: new Map() }
  for (const [key, value] of Object.entries(said)) {
    const take = TAKES.get(fold(key).replace(/[-_\s]+/g, ' '))
    if (value === null || value === '' || take?.(matter, value)) continue
    matter.properties.set(key, value)
  }
  return matter
}

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?)?(?: ?(?:(Z)|([+-]\d{2}):?(\d{2})))?$/i

/** A day, or a date and time; without an offset it is UTC. */
function instantOf(value: unknown): number | undefined {
  const match = typeof value === 'string' ? DATE_TIME.exec(value.trim()) : null
  if (!match) return undefined
  const [, day, time = '00:00', seconds = '', , hours, minutes] = match
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes}`
  const instant = parseInstant(`${day}T${time}${seconds}${offset}`)
  return instant === undefined ? undefined : Math.floor(instant)
}
