import { linesOf } from '../../../../lib/markdown-lines.ts'
import { baseName, withoutExtension } from '../files.ts'
import type { Source } from './source.ts'

/*
 * A Logseq graph: pages in `pages`, days in `journals`. Page properties are lines of `key:: value` at the beginning,
 * and file names escape the titles of pages: `Projects___Garden.md` is the page Projects/Garden.
 */

export const LOGSEQ_SETTINGS = 'logseq/config.edn'

const PROPERTY = /^([\p{L}_][\p{L}\p{N}_\-./]*)::(?:[ \t](.*))?$/u
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

export const logseq = (settings: string): Source => {
  const dayFormat = /:journal\/page-title-format\s+"([^"]+)"/.exec(settings)?.[1] ?? 'MMM do, yyyy'
  return {
    name: 'logseq',
    titleOf: (path) => {
      const day = dayOf(path)
      return day ? formatDay(day, dayFormat) : titleOfName(withoutExtension(baseName(path)))
    },
    readBeginning: (text, path) => {
      const { fields, bodyStart } = pageProperties(text)
      const day = dayOf(path)?.toISOString().slice(0, 'YYYY-MM-DD'.length)
      if (day !== undefined) fields.aliases = [...((fields.aliases as string[] | undefined) ?? []), day]
      return Object.keys(fields).length > 0 ? { fields, bodyStart } : undefined
    },
    tagsIn: (line) => Array.from(line.matchAll(/(?<=^|\s)#\[\[([^[\]]+)\]\]/g), ([, name = '']) => name),
    blocksIn,
    skipReason: (path) => (path.startsWith('logseq/') ? 'it belongs to the settings of Logseq.' : undefined),
    folderNameOf: (path) => path,
  }
}

/** The title that a file name escapes. */
function titleOfName(name: string): string {
  return name.replaceAll('___', '/').replace(/(?:%[\da-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped)
    } catch {
      return escaped
    }
  })
}

/** The day of a journal. */
function dayOf(path: string): Date | undefined {
  const [, year, month, day] = /^journals\/(\d{4})[_-](\d{2})[_-](\d{2})\.(?:md|markdown)$/i.exec(path) ?? []
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return Number.isNaN(date.getTime()) ? undefined : date
}

const nameIn = (date: Date, part: Intl.DateTimeFormatOptions): string =>
  date.toLocaleDateString('en-US', { ...part, timeZone: 'UTC' })

const padded = (number: number): string => String(number).padStart(2, '0')

function ordinal(day: number): string {
  const isTeen = day > 10 && day < 20
  return `${day}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')}`
}

const PARTS: Readonly<Record<string, (date: Date) => string>> = {
  yyyy: (date) => String(date.getUTCFullYear()),
  yy: (date) => String(date.getUTCFullYear()).slice(-2),
  MMMM: (date) => nameIn(date, { month: 'long' }),
  MMM: (date) => nameIn(date, { month: 'short' }),
  MM: (date) => padded(date.getUTCMonth() + 1),
  M: (date) => String(date.getUTCMonth() + 1),
  EEEE: (date) => nameIn(date, { weekday: 'long' }),
  EEE: (date) => nameIn(date, { weekday: 'short' }),
  EE: (date) => nameIn(date, { weekday: 'short' }),
  E: (date) => nameIn(date, { weekday: 'short' }),
  dd: (date) => padded(date.getUTCDate()),
  do: (date) => ordinal(date.getUTCDate()),
  d: (date) => String(date.getUTCDate()),
}

const formatDay = (date: Date, format: string): string =>
  format.replace(/y+|M+|E+|do|d+/g, (part) => PARTS[part]?.(date) ?? part)

/** The properties of the page with the blank lines that follow them. */
function pageProperties(text: string): { fields: Record<string, unknown>; bodyStart: number } {
  const fields: Record<string, unknown> = {}
  let bodyStart = 0
  for (const { text: line, next } of linesOf(text)) {
    const [, key, value = ''] = PROPERTY.exec(line) ?? []
    if (key !== undefined) addProperty(fields, key, value.trim())
    else if (line.trim() !== '') break
    bodyStart = next
  }
  return Object.keys(fields).length > 0 ? { fields, bodyStart } : { fields, bodyStart: 0 }
}

function addProperty(fields: Record<string, unknown>, key: string, value: string): void {
  const name = key.toLowerCase()
  if (name === 'tags' || name === 'tag') fields.tags = pagesIn(value)
  else if (name === 'alias' || name === 'aliases') fields.aliases = pagesIn(value)
  else fields[key] = typedValue(value)
}

/** The names of pages in a list: `one, [[two words]], #three`. */
const pagesIn = (value: string): string[] =>
  value
    .split(/\[\[([^[\]]+)\]\]|,/)
    .map((name = '', at) => (at % 2 === 1 ? name.trim() : plainName(name.trim())))
    .filter((name) => name !== '')

const plainName = (word: string): string =>
  word
    .replace(/^#/, '')
    .replace(/^"(.*)"$/, '$1')
    .trim()

function typedValue(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true'
  return NUMBER.test(value) ? Number(value) : value
}

const BLOCK_ID = /^[ \t]*id::[ \t]+([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})[ \t]*$/

/** A block has its id in a line below its first one. */
function blocksIn(text: string): ReadonlyMap<string, string> {
  const blocks = new Map<string, string>()
  if (!text.includes('id::')) return blocks
  let first = ''
  for (const line of text.split(/\r?\n/)) {
    const [, id] = BLOCK_ID.exec(line) ?? []
    if (id !== undefined) blocks.set(id, first)
    else if (/^[ \t]*- /.test(line)) first = line.replace(/^[ \t]*- /, '')
  }
  return blocks
}
