import { isDay } from '../../../../lib/dates.ts'
import { linesOf } from '../../../../lib/markdown-lines.ts'
import { baseName, withoutExtension } from '../files.ts'
import type { Source } from './source.ts'

/*
 * A Notion export: the names of files and folders end in the 32 digits of their ids, a page begins with its title as a
 * heading, and below it each property is a line.
 */

const ID = / ?\b[\da-f]{32}$/
const HEADING = /^(?:[ \t]*\r?\n)*# ([^\r\n]+)(?:\r?\n[ \t]*)?(?:\r?\n|$)/
const PROPERTY = /^([\p{L}\p{N}\p{S}][^:\r\n]{0,99}):(?: (.*)|)$/u
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

export const withoutId = (name: string): string => name.replace(ID, '') || name

export const notion: Source = {
  name: 'notion',
  titleOf: (path) => withoutId(withoutExtension(baseName(path))),
  readBeginning: (text) => {
    const [whole, title] = HEADING.exec(text) ?? []
    if (whole === undefined || title === undefined) return undefined
    const { fields, length } = propertiesIn(text.slice(whole.length))
    return { fields: { ...fields, title: title.trim() }, bodyStart: whole.length + length }
  },
  tagsIn: () => [],
  blocksIn: () => new Map(),
  skipReason: (path) => (/^index\.html$/i.test(path) ? 'it lists the pages of the export.' : undefined),
  folderNameOf: (path) => path.split('/').map(withoutId).join('/'),
}

/** A paragraph in which every line is a property, with the blank line after it. */
function propertiesIn(text: string): { fields: Record<string, unknown>; length: number } {
  const fields: Record<string, unknown> = {}
  let length = 0
  for (const { text: line, next } of linesOf(text)) {
    if (line.trim() === '') return { fields, length: length === 0 ? 0 : next }
    const [, key, value = ''] = PROPERTY.exec(line) ?? []
    if (key === undefined || /^(?:https?|mailto)$/i.test(key)) return { fields: {}, length: 0 }
    addProperty(fields, key.trim(), value.trim())
    length = next
  }
  return { fields, length }
}

/** The names that Notion gives to the times of a page. */
const TIMES: ReadonlyMap<string, string> = new Map([
  ['created time', 'created'],
  ['last edited time', 'updated'],
  ['last edited', 'updated'],
])

function addProperty(fields: Record<string, unknown>, key: string, value: string): void {
  const name = TIMES.get(key.toLowerCase()) ?? key
  // A property without a value, and any that repeats a name, such as that of the title.
  if (value === '' || name.toLowerCase() === 'title' || Object.hasOwn(fields, name)) return
  fields[name] = /^(?:tags?|alias(?:es)?)$/i.test(name) ? value.split(/,\s*/) : typedValue(value)
}

function typedValue(value: string): unknown {
  if (value === 'Yes' || value === 'No') return value === 'Yes'
  if (NUMBER.test(value)) return Number(value)
  return notionDate(value) ?? withLinks(value)
}

/** Links to pages of the export: `Name (Folder%20id/Name%20id.md)`. */
const withLinks = (value: string): string =>
  value.replace(/([^,()]{1,500}) \(([^()\s]{1,4000}\.md)\)/g, (whole, name: string, path: string) => {
    try {
      const blank = /^\s*/.exec(name)?.[0] ?? ''
      return `${blank}[[${withoutExtension(decodeURIComponent(path))}|${name.trim()}]]`
    } catch {
      return whole
    }
  })

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const DATE = /^([A-Z][a-z]{2,8}) (\d{1,2}), (\d{4})(?: (\d{1,2}):(\d{2}) ?([AP]M)?)?$/

/** `January 5, 2026` or `January 5, 2026 3:04 PM` in ISO 8601; undefined for any other text. */
export function notionDate(value: string): string | undefined {
  const [, monthName = '', day = '', year = '', hour, minute = '', half] = DATE.exec(value) ?? []
  const month = MONTHS.findIndex((name) => name === monthName || name.slice(0, 3) === monthName) + 1
  if (month === 0) return undefined
  const date = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
  if (!isDay(date)) return undefined
  if (hour === undefined) return date
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'PM' ? 12 : 0)
  if (hours > 23 || Number(minute) > 59) return undefined
  return `${date}T${String(hours).padStart(2, '0')}:${minute}Z`
}
