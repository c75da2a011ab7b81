import { isObject } from '../../../lib/json.ts'
import { otherFrontMatter } from '../../front-matter.ts'
import { IntendedValues, type ListEdit, readFront } from './intended-values.ts'

/*
 * Edits front matter in TOML and JSON by its text: only the values that change are written, so that comments, order and
 * notation stay. The places of the entries at the top level are found by a scanner that knows strings, brackets and
 * comments. It need not be exact: the new text counts only if an import reads the intended values in it.
 */

interface Place {
  readonly start: number
  readonly end: number
}

interface Replacement extends Place {
  readonly text: string
}

interface OtherEntry {
  readonly name: string
  readonly value: unknown
  /** The beginning of the key. */
  readonly start: number
  readonly written: Place
  /** Of a table of TOML: all lines that hold a part of it. */
  readonly lines?: readonly Place[]
}

const STRING_ENDS = ['"""', "'''", '"', "'"]

/** The place after a string; the text of one in three quotes may end with two more. */
const afterQuotes = (text: string, end: number, quote: string): number =>
  end + (quote.length === 3 ? (/^["']{0,2}/.exec(text.slice(end, end + 2))?.[0].length ?? 0) : 0)

/** The place after the string that begins here, or after one character. */
function skipPart(text: string, at: number): number {
  const quote = STRING_ENDS.find((sign) => text.startsWith(sign, at))
  if (quote === undefined) return at + 1
  const hasEscapes = quote.startsWith('"')
  for (let end = at + quote.length; end < text.length; end++) {
    if (hasEscapes && text[end] === '\\') end++
    else if (text.startsWith(quote, end)) return afterQuotes(text, end + quote.length, quote)
  }
  return text.length
}

const lineEndAfter = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/** The values that a separator divides, from a place up to `isEnd` outside brackets; `hasComments`: after a `#`. */
function valuesFrom(
  text: string,
  from: number,
  hasComments: boolean,
  isEnd: (sign: string) => boolean,
): { readonly values: readonly Place[]; readonly end: number } {
  const values: Place[] = []
  let depth = 0
  let value: { start: number; end: number } | undefined
  let at = from
  while (at < text.length) {
    const sign = text[at] ?? ''
    if (depth === 0 && isEnd(sign)) break
    if (hasComments && sign === '#') {
      at = lineEndAfter(text, at)
      continue
    }
    const next = skipPart(text, at)
    if (depth === 0 && sign === ',') {
      if (value) values.push(value)
      value = undefined
    } else if (!/\s/.test(sign)) value = { start: value?.start ?? at, end: next }
    if (sign === '[' || sign === '{') depth++
    if (sign === ']' || sign === '}') depth--
    at = next
  }
  if (value) values.push(value)
  return { values, end: at }
}

const BASIC_KEY = '(?:[^"\\\\\\r\\n]|\\\\.)*'
const TOML_NAME = `[ \\t]*(?:([\\w-]+)|"(${BASIC_KEY})"|'([^'\\r\\n]*)')`
/** The first part of a key, the other parts with their dots, and the equals sign. */
const TOML_KEY = new RegExp(
  `${TOML_NAME}((?:[ \\t]*\\.[ \\t]*(?:[\\w-]+|"${BASIC_KEY}"|'[^'\\r\\n]*'))*)[ \\t]*=[ \\t]*`,
  'y',
)
const TOML_TABLE = new RegExp(`[ \\t]*\\[\\[?${TOML_NAME}`, 'y')
const NO_CONTENT = /^[ \t]*(?:#|\r?$)/

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** The name with the escapes that TOML shares with JSON, else as written. */
function nameIn([, bare, basic, literal]: RegExpExecArray): string {
  if (!basic?.includes('\\')) return bare ?? basic ?? literal ?? ''
  try {
    return String(JSON.parse(`"${basic}"`))
  } catch {
    return basic
  }
}

type Lines = { start: number; end: number }

/** The lines that hold parts of tables, by the names of the tables. */
class TableLines {
  readonly #byName = new Map<string, [Lines, ...Lines[]]>()

  /** Adds lines that begin here, and have no end yet. */
  begin(name: string, start: number): Lines {
    const lines = { start, end: start }
    const others = this.#byName.get(name)
    if (others) others.push(lines)
    else this.#byName.set(name, [lines])
    return lines
  }

  entries(values: Readonly<Record<string, unknown>>): OtherEntry[] {
    return Array.from(this.#byName, ([name, lines]) => ({
      name,
      value: values[name],
      start: lines[0].start,
      written: lines[0],
      lines,
    }))
  }
}

/** The entries of front matter in TOML, and the place before the first table where another one can follow them. */
function tomlEntries(text: string, values: Readonly<Record<string, unknown>>) {
  const entries: OtherEntry[] = []
  const tables = new TableLines()
  let table: Lines | undefined
  let at = text.indexOf('\n') + 1
  let end = at
  while (at < text.length && !text.startsWith('+++', at)) {
    const start = at
    const key = matchAt(TOML_KEY, text, at)
    const heading = key ? null : matchAt(TOML_TABLE, text, at)
    const written = valuesFrom(text, start + (key?.[0].length ?? 0), true, (sign) => sign === '\n')
    at = lineEndAfter(text, written.end) + 1
    if (heading) table = tables.begin(nameIn(heading), start)
    if (table) {
      if (!NO_CONTENT.test(text.slice(start, lineEndAfter(text, start)))) table.end = at
      continue
    }
    if (!key) continue
    end = at
    const [value] = written.values
    if (key[4]) tables.begin(nameIn(key), start).end = at
    else if (value) entries.push({ name: nameIn(key), value: values[nameIn(key)], start, written: value })
  }
  return { entries: [...entries, ...tables.entries(values)], end }
}

function jsonEntries(text: string, values: Readonly<Record<string, unknown>>) {
  const { values: parts } = valuesFrom(text, 1, false, (sign) => sign === '}')
  const entries = parts.flatMap(({ start, end }): OtherEntry[] => {
    const keyEnd = skipPart(text, start)
    const [colon = ''] = /^\s*:\s*/.exec(text.slice(keyEnd)) ?? []
    const name: unknown = colon === '' ? undefined : JSON.parse(text.slice(start, keyEnd))
    if (typeof name !== 'string') return []
    return [{ name, value: values[name], start, written: { start: keyEnd + colon.length, end } }]
  })
  return { entries, end: entries.at(-1)?.written.end ?? 1 }
}

const BARE_KEY = /^[\w-]+$/
const DAY = /^\d{4}-\d{2}-\d{2}$/
/** TOML allows fewer control characters in strings than JSON. */
const DELETE = /\u007f/g

const tomlKey = (name: string): string => (BARE_KEY.test(name) ? name : tomlText(name))

/** A value in TOML, which has no null. */
function tomlText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlText).join(', ')}]`
  if (isObject(value))
    return `{ ${Object.entries(value)
      .map(([key, part]) => `${tomlKey(key)} = ${tomlText(part)}`)
      .join(', ')} }`
  return JSON.stringify(value).replace(DELETE, '\\u007f')
}

const jsonList = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(jsonList).join(', ')}]` : JSON.stringify(value)

/** Front matter in TOML or JSON, and replacements of parts of it. */
export class OtherFrontMatterText {
  readonly entries: readonly OtherEntry[]
  /** Whether the places of all entries are known; those of keys with rare escapes are not. */
  readonly isEditable: boolean
  readonly #isToml: boolean
  readonly #end: number
  readonly #lineEnd: string
  readonly #intended: IntendedValues
  readonly #replacements: Replacement[] = []
  readonly #appended: string[] = []
  /** Members of JSON, which go together with their commas. */
  readonly #removed = new Set<OtherEntry>()

  constructor(private readonly front: string) {
    const found = otherFrontMatter(front)
    const values = readFront(front) ?? {}
    this.#isToml = found?.language === 'TOML'
    const { entries, end } = this.#isToml ? tomlEntries(front, values) : jsonEntries(front, values)
    this.entries = entries
    const names = new Set(entries.map(({ name }) => name))
    this.isEditable = Object.keys(values).every((name) => names.has(name))
    this.#end = end
    this.#lineEnd = front.includes('\r\n') ? '\r\n' : '\n'
    this.#intended = new IntendedValues(front)
  }

  get readEntries(): readonly OtherEntry[] {
    return [...new Map(this.entries.map((entry) => [entry.name, entry])).values()]
  }

  result(): string {
    let text = ''
    let at = 0
    const appended = this.#isToml ? this.#appended.join('') : this.#newMembers()
    const all = [
      ...this.#replacements,
      ...this.#withoutMembers(),
      { start: this.#end, end: this.#end, text: appended },
    ]
    for (const replacement of all.sort((one, other) => one.start - other.start || one.end - other.end)) {
      text += this.front.slice(at, replacement.start) + replacement.text
      at = replacement.end
    }
    return text + this.front.slice(at)
  }

  isReadIn = (text: string): boolean => this.#intended.areReadIn(text)

  append(name: string, value: unknown): void {
    this.#intended.set(name, value)
    this.#appendText(name, this.#textOf(value))
  }

  #appendText(name: string, value: string): void {
    this.#appended.push(
      this.#isToml
        ? `${tomlKey(name)} = ${value}${this.#lineEnd}`
        : `${this.#lineEnd}${this.#indent}${JSON.stringify(name)}: ${value}`,
    )
  }

  get #indent(): string {
    const start = this.entries[0]?.start ?? 0
    const before = this.front.slice(this.front.lastIndexOf('\n', start - 1) + 1, start)
    return before.trim() === '' && start > 0 ? before : '  '
  }

  #newMembers(): string {
    const isFirst = this.#removed.size === this.entries.length
    return (isFirst || this.#appended.length === 0 ? '' : ',') + this.#appended.join(',')
  }

  /** A removed member goes with the comma after it; those at the end go with the comma before them. */
  #withoutMembers(): Replacement[] {
    if (this.#removed.size === 0) return []
    const lastKept = this.entries.findLastIndex((entry) => !this.#removed.has(entry))
    const before = this.entries.slice(0, Math.max(0, lastKept)).flatMap((entry, at): Replacement[] => {
      const next = this.entries[at + 1]
      return next && this.#removed.has(entry) ? [{ start: entry.start, end: next.start, text: '' }] : []
    })
    // Without any member, a blank line stays, because braces without lines are no front matter.
    const first = this.#appended.length > 0 ? 1 : (this.entries[0]?.start ?? 1)
    return [...before, { start: this.entries[lastKept]?.written.end ?? first, end: this.#end, text: '' }]
  }

  /** Without a value, the entry is removed. A table becomes a value on one line. */
  replace(entry: OtherEntry, value: unknown): void {
    this.#intended.set(entry.name, value)
    if (value === undefined) this.#remove(entry)
    else {
      const isBareDay = this.#isToml && typeof value === 'string' && DAY.test(value)
      const before = this.front.slice(entry.written.start, entry.written.end)
      this.#write(entry, isBareDay && DAY.test(before) ? value : this.#textOf(value))
    }
  }

  #write(entry: OtherEntry, text: string): void {
    if (!entry.lines) this.#replacements.push({ ...entry.written, text })
    else {
      this.#remove(entry)
      this.#appendText(entry.name, text)
    }
  }

  #remove(entry: OtherEntry): void {
    const { start, written, lines } = entry
    if (lines) for (const part of lines) this.#replacements.push({ ...part, text: '' })
    else if (this.#isToml)
      this.#replacements.push({ start, end: lineEndAfter(this.front, written.end) + 1, text: '' })
    else this.#removed.add(entry)
  }

  /** Removes words from the lists and adds others to the first one, or as a new list. */
  editLists(entries: readonly OtherEntry[], edit: ListEdit): void {
    this.#intended.editList(edit)
    const [first, ...others] = entries
    if (first) this.#editList(first, edit)
    else if (edit.added.length > 0) this.#appendText(edit.field, this.#textOf(edit.added))
    for (const entry of others) this.#editList(entry, { ...edit, added: [] })
  }

  #editList(entry: OtherEntry, { wordsOf, isKept, added }: ListEdit): void {
    const { value, written } = entry
    const words = wordsOf(value)
    if (added.length === 0 && words.every(isKept)) return
    const items = Array.isArray(value) ? value : []
    const { values: places } = valuesFrom(this.front, written.start + 1, this.#isToml, (sign) => sign === ']')
    const isKeptItem = (item: unknown) => wordsOf([item]).every(isKept)
    const hasCommas = places.slice(0, -1).every(({ end }) => /^[ \t]*,/.test(this.front.slice(end)))
    const isWhole = hasCommas && places.length === items.length && items.some(isKeptItem)
    if (!isWhole) {
      this.#write(entry, this.#textOf([...words.filter(isKept), ...added]))
      return
    }
    const gone = places.filter((_, at) => !isKeptItem(items[at]))
    const last = places.findLast((place) => !gone.includes(place))
    if (last) this.#editItems(places, gone, { last, added })
  }

  #editItems(
    places: readonly Place[],
    gone: readonly Place[],
    { last, added }: { readonly last: Place; readonly added: readonly string[] },
  ): void {
    const isAfterLast = ({ start }: Place) => start > last.start
    const others = gone.filter((place) => {
      const line = this.#ownLine(place)
      if (line) this.#replacements.push({ ...line, text: '' })
      return !line
    })
    for (const place of others) {
      const next = places[places.indexOf(place) + 1]
      if (next && !isAfterLast(place))
        this.#replacements.push({ start: place.start, end: next.start, text: '' })
    }
    const words = added.map(this.#textOf)
    const line = this.#ownLine(last)
    const end = others.findLast(isAfterLast)?.end ?? last.end
    if (!line || end > last.end) {
      this.#replacements.push({ start: last.end, end, text: words.map((word) => `, ${word}`).join('') })
      return
    }
    if (words.length === 0) return
    const hasComma = /^\s*,/.test(this.front.slice(last.end, line.end))
    const indent = this.front.slice(line.start, last.start)
    if (!hasComma) this.#replacements.push({ start: last.end, end: last.end, text: ',' })
    const lines = words.map((word) => `${indent}${word},${this.#lineEnd}`)
    this.#replacements.push({ start: line.end, end: line.end, text: lines.join('') })
  }

  /** The line that an item of TOML has for itself and its comment. */
  #ownLine({ start, end }: Place): Place | undefined {
    const line = {
      start: this.front.lastIndexOf('\n', start - 1) + 1,
      end: lineEndAfter(this.front, end) + 1,
    }
    const rest = this.front.slice(end, line.end).trim().replace(/^,/, '').trimStart()
    const isAlone = this.front.slice(line.start, start).trim() === '' && (rest === '' || rest.startsWith('#'))
    return this.#isToml && isAlone ? line : undefined
  }

  #textOf = (value: unknown): string => (this.#isToml ? tomlText(value) : jsonList(value))
}
