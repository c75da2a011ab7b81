import type { Document, Node, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { isObject } from '../../../lib/json.ts'
import { fold } from '../../../lib/text.ts'
import { FENCED, otherFrontMatter, parseEditable } from '../../front-matter.ts'
import { fieldOfKey, wordsOfAliases, wordsOfTags } from '../plan/note.ts'
import { keyOf } from '../plan/properties.ts'
import { tagNameOf } from '../plan/tags.ts'
import { IntendedValues, type ListEdit, readFront } from './intended-values.ts'
import { OtherFrontMatterText } from './other-front-matter.ts'

/** Changes of a note since its import, and what an import would read from its file. */
export interface FrontMatterEdits {
  readonly title: string
  readonly isNewTitle: boolean
  /** The title that an import derives from the name of the file. */
  readonly fileTitle: string
  readonly aliases: { readonly before: readonly string[]; readonly now: readonly string[] }
  /** Names of tags: all of the note, those that its body contains (folded), and those that are new. */
  readonly tags: {
    readonly all: readonly string[]
    readonly inBody: ReadonlySet<string>
    readonly added: ReadonlySet<string>
  }
  /** Without a value where the property was cleared. */
  readonly properties: readonly { readonly key: string; readonly label: string; readonly value?: unknown }[]
}

/**
 * Writes the changes of a note into the front matter of its file. Every line that no change concerns keeps its bytes.
 * Returns undefined for front matter that cannot be edited in place: YAML in braces, or one whose other values an edit
 * would change, such as those that repeat an anchor.
 */
export function editFrontMatter(front: string, edits: FrontMatterEdits): string | undefined {
  const isOther = otherFrontMatter(front)?.fields !== undefined
  const text: EditableText = isOther ? new OtherFrontMatterText(front) : new FrontMatterText(front)
  if (text.isEditable === false) return hasEdits(edits) || hasOtherTags(front, edits.tags) ? undefined : front
  editTitle(text, edits)
  editAliases(text, edits.aliases)
  editTags(text, edits.tags)
  for (const { key, label, value } of edits.properties) editProperty(text, { key, label }, value)
  const result = text.result()
  return result === front || text.isReadIn(result) ? result : undefined
}

interface NamedValue {
  readonly name: string
  readonly value: unknown
}

/** The text of front matter in one syntax. */
interface EditableText {
  readonly isEditable?: boolean
  readonly entries: readonly NamedValue[]
  /** The entries that an import reads: of a repeated key, the last one. */
  readonly readEntries: readonly NamedValue[]
  append(name: string, value: unknown): void
  /** Without a value, the entry is removed. */
  replace(entry: NamedValue, value: unknown): void
  /** Removes words from the lists and adds others to the first one, or as a new list. */
  editLists(entries: readonly NamedValue[], edit: ListEdit): void
  result(): string
  /** Whether an import reads the edited values in the text, and all others as before. */
  isReadIn(text: string): boolean
}

/** Two keys may name one property: an import takes the first name, and of a repeated name the last value. */
function editProperty(text: EditableText, names: { key: string; label: string }, value: unknown): void {
  const entries = entriesOfProperty(text, names)
  if (value === undefined) for (const entry of entries) text.replace(entry, undefined)
  else if (entries[0])
    text.replace(entries.findLast(({ name }) => name === entries[0]?.name) ?? entries[0], value)
  else text.append(names.label, value)
}

/** After a change of the label, the file has the one that it was imported with. */
function entriesOfProperty({ entries }: EditableText, { key, label }: { key: string; label: string }) {
  const found = entries.filter(({ name }) => [key, fold(label).trim()].includes(fold(name).trim()))
  return found.length > 0 ? found : entries.filter(({ name }) => keyOf(fold(name).trim()) === key)
}

/** Of front matter that is not editable, only the fields that do not depend on its entries are known. */
const hasEdits = ({ isNewTitle, aliases, tags, properties }: FrontMatterEdits): boolean =>
  isNewTitle ||
  properties.length > 0 ||
  tags.added.size > 0 ||
  JSON.stringify(aliases.before) !== JSON.stringify(aliases.now)

/** Whether front matter names a tag that the note no longer has, or had under another name. */
function hasOtherTags(front: string, { all }: FrontMatterEdits['tags']): boolean {
  const present = new Set(all.map(fold))
  return Object.entries(readFront(front) ?? {})
    .flatMap(([name, value]) => (fieldOfKey(name) === 'tags' ? wordsOfTags(value) : []))
    .some((word) => tagNameOf(word) !== undefined && !present.has(keyOfTag(word)))
}

function editTitle(text: EditableText, { title, isNewTitle, fileTitle }: FrontMatterEdits): void {
  const entry = text.readEntries.find(({ name, value }) => fieldOfKey(name) === 'title' && value !== null)
  if (entry && isNewTitle) text.replace(entry, title)
  else if (!entry && title !== fileTitle) text.append('title', title)
}

function editAliases(text: EditableText, { before, now }: FrontMatterEdits['aliases']): void {
  const entries = text.readEntries.filter(({ name }) => fieldOfKey(name) === 'aliases')
  const words = new Set(entries.flatMap(({ value }) => wordsOfAliases(value)))
  const added = now.filter((alias) => !words.has(alias) && !before.includes(alias))
  const isKept = (alias: string) => now.includes(alias) || !before.includes(alias)
  text.editLists(entries, { field: 'aliases', wordsOf: wordsOfAliases, isKept, added })
}

function editTags(text: EditableText, { all, inBody, added }: FrontMatterEdits['tags']): void {
  const entries = text.readEntries.filter(({ name }) => fieldOfKey(name) === 'tags')
  const keys = new Set(entries.flatMap(({ value }) => wordsOfTags(value)).map(keyOfTag))
  const present = new Set(all.map(fold))
  const isKept = (word: string) => present.has(keyOfTag(word)) || tagNameOf(word) === undefined
  // A word without its tag was removed, or its tag was renamed: then the new name is none that the import added.
  const isRenamed = [...keys].some((key) => key !== '' && !present.has(key))
  const names = all.filter((name) => added.has(name) || isRenamed)
  const missing = names.filter((name) => !keys.has(fold(name)) && !inBody.has(fold(name)))
  text.editLists(entries, { field: 'tags', wordsOf: wordsOfTags, isKept, added: missing.sort() })
}

const keyOfTag = (word: string): string => fold(tagNameOf(word) ?? '')

export const keyText = (name: string): string =>
  /^(?!(?:null|true|false)$)[a-z][\w -]*$/i.test(name) ? name : JSON.stringify(name)

const PLAIN = /^(?!(?:true|false|null|yes|no|on|off)$)\p{L}(?:[\p{L}\p{N}_/ -]*[\p{L}\p{N}_/-])?$/iu
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** A value as YAML: words and days without quotes, anything else as JSON. */
const valueText = (value: unknown): string =>
  typeof value === 'string' && (PLAIN.test(value) || DAY.test(value)) ? value : jsonText(value)

/** Imports read longer integers as text, unless they have an exponent. */
const MAX_INTEGER = 1e15

/** A value as JSON, in which an import reads every number as a number. */
export function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([key, part]) => `${JSON.stringify(key)}:${jsonText(part)}`)
      .join(',')}}`
  const isLarge = typeof value === 'number' && Number.isInteger(value) && Math.abs(value) >= MAX_INTEGER
  return isLarge ? value.toExponential() : JSON.stringify(value)
}

/** A key with its value, and their places in the text. */
interface Entry {
  readonly name: string
  readonly value: unknown
  readonly node: Node | null
  /** The beginning of the line of the key. */
  readonly start: number
  /** After the colon. */
  readonly valueStart: number
  readonly valueEnd: number
}

/** The front matter of a file, and replacements of parts of it. */
class FrontMatterText {
  readonly entries: readonly Entry[]
  /** The entries that an import reads: of a repeated key, the last one. */
  readonly readEntries: readonly Entry[]
  readonly isEditable: boolean
  readonly hasContent: boolean
  readonly #hasFences: boolean
  readonly #open: string
  /** The lines between the fences, each with its end. */
  readonly #yaml: string
  readonly #close: string
  readonly #document: Document | undefined
  readonly #lineEnd: string
  readonly #replacements: { start: number; end: number; text: string }[] = []
  readonly #appended: string[] = []
  readonly #intended: IntendedValues

  constructor(front: string) {
    this.#intended = new IntendedValues(front)
    this.#lineEnd = front.includes('\r\n') ? '\r\n' : '\n'
    const match = FENCED.exec(front)
    this.#hasFences = match !== null
    const yaml = match?.[1]
    const begin = front.indexOf('\n') + 1
    const length = yaml === undefined ? 0 : front.indexOf('\n', begin + yaml.length) + 1 - begin
    this.#open = match ? front.slice(0, begin) : `---${this.#lineEnd}`
    this.#yaml = front.slice(begin, begin + length)
    this.#close = match ? front.slice(begin + length) : `---${this.#lineEnd}`
    this.hasContent = this.#yaml.trim() !== ''
    this.#document = this.hasContent ? parseEditable(this.#yaml) : undefined
    const mapping = blockMappingOf(this.#document)
    // A document of comments has no contents.
    const isYaml = this.#hasFences || front === ''
    const isBlock = !this.hasContent || mapping !== undefined || this.#document?.contents === null
    this.isEditable = isYaml && isBlock
    this.entries = mapping ? this.#entriesOf(mapping) : []
    this.readEntries = [...new Map(this.entries.map((entry) => [entry.name, entry])).values()]
  }

  result(): string {
    if (!this.#hasFences && this.#appended.length === 0) return ''
    let yaml = ''
    let at = 0
    for (const { start, end, text } of this.#replacements.toSorted((one, other) => one.start - other.start)) {
      yaml += this.#yaml.slice(at, start) + text
      at = end
    }
    return this.#open + yaml + this.#yaml.slice(at) + this.#appended.join('') + this.#close
  }

  isReadIn = (text: string): boolean => this.#intended.areReadIn(text)

  append(name: string, value: unknown): void {
    this.#intended.set(name, value)
    this.#appendText(name, valueText(value))
  }

  #appendText(name: string, value: string): void {
    const [first] = this.entries
    const indent = /^ */.exec(this.#yaml.slice(first?.start ?? this.#yaml.length))?.[0] ?? ''
    this.#appended.push(`${indent}${keyText(name)}: ${value}${this.#lineEnd}`)
  }

  /** Without a value, the lines of the entry are removed. */
  replace(entry: Entry, value: unknown): void {
    this.#intended.set(entry.name, value)
    this.#replaceText(entry, value === undefined ? undefined : valueText(value))
  }

  #replaceText({ start, valueStart, valueEnd }: Entry, value: string | undefined): void {
    if (value === undefined) this.#replacements.push({ start, end: this.#nextLine(valueEnd), text: '' })
    else this.#replacements.push({ start: valueStart, end: valueEnd, text: ` ${value}` })
  }

  /** Removes words from the lists and adds others to the first one, or as a new list. */
  editLists(entries: readonly Entry[], edit: ListEdit): void {
    this.#intended.editList(edit)
    const [first, ...others] = entries
    if (first) this.#editList(first, edit)
    else if (edit.added.length > 0) this.#appendText(edit.field, flowList(edit.added))
    for (const entry of others) this.#editList(entry, { ...edit, added: [] })
  }

  #editList(entry: Entry, edit: ListEdit): void {
    const { wordsOf, isKept, added } = edit
    const words = wordsOf(entry.value)
    if (added.length === 0 && words.every(isKept)) return
    const items = itemsOf(entry.node)
    if (items && !isFlow(entry.node)) {
      this.#editLines(entry, items, edit)
      return
    }
    const kept = items
      ? items.flatMap((item) => this.#keptItem(item, edit))
      : words.filter((word) => word.trim() !== '' && isKept(word)).map(valueText)
    const all = [...kept, ...added.map(valueText)]
    this.#replaceText(entry, all.length === 0 && !items ? undefined : `[${all.join(', ')}]`)
  }

  /** The source of an item, or what is left of its words. */
  #keptItem(item: Node, { wordsOf, isKept }: ListEdit): string[] {
    const [start, end] = rangeOf(item)
    const words = wordsOf([this.#valueOf(item)])
    const kept = words.filter(isKept)
    if (kept.length === words.length) return [this.#yaml.slice(start, end)]
    return kept.length === 0 ? [] : [valueText(kept.join(', '))]
  }

  /** Edits a list with an item a line. */
  #editLines(entry: Entry, items: readonly Node[], edit: ListEdit): void {
    const starts = items.map((item) => this.#lineStart(rangeOf(item)[0]))
    const end = this.#nextLine(entry.valueEnd)
    let lines = ''
    let prefix = '  - '
    for (const [at, item] of items.entries()) {
      const [start = 0, next = end] = [starts[at], starts[at + 1]]
      const beginning = this.#yaml.slice(start, rangeOf(item)[0])
      // An anchor belongs to its item.
      prefix = /^[ \t]*-[ \t]+/.exec(beginning)?.[0] ?? `${/^[ \t]*/.exec(beginning)?.[0]}- `
      const source = this.#yaml.slice(...rangeOf(item))
      const [kept] = this.#keptItem(item, edit)
      if (kept === source) lines += this.#yaml.slice(start, next)
      else if (kept !== undefined) lines += prefix + kept + this.#lineEnd
    }
    for (const word of edit.added) lines += prefix + valueText(word) + this.#lineEnd
    if (lines === '') this.#replaceText(entry, undefined)
    else this.#replacements.push({ start: starts[0] ?? end, end, text: lines })
  }

  #lineStart = (at: number): number => this.#yaml.lastIndexOf('\n', at - 1) + 1
  #nextLine = (at: number): number => this.#yaml.indexOf('\n', at) + 1 || this.#yaml.length

  /** The value as an import reads it; `parseEditable` masks placeholders of templates. */
  #valueOf(node: Node | null): unknown {
    if (node === null || !this.#document) return null
    const items = itemsOf(node)
    if (items) return items.map((item) => this.#valueOf(item))
    const source = this.#yaml.slice(...rangeOf(node))
    return 'value' in node && source.startsWith('{{') ? source : (node.toJS(this.#document) ?? null)
  }

  #entriesOf = ({ items }: YAMLMap<Scalar, Node | null>): Entry[] =>
    items.map(({ key, value }) => {
      const [keyStart, keyEnd] = rangeOf(key)
      const valueStart = this.#yaml.indexOf(':', keyEnd) + 1
      const end = value ? rangeOf(value)[1] : valueStart
      const valueEnd = Math.max(valueStart, this.#yaml.slice(0, end).trimEnd().length)
      const start = this.#lineStart(keyStart)
      return {
        name: String(key.value),
        value: this.#valueOf(value),
        node: value,
        start,
        valueStart,
        valueEnd,
      }
    })
}

const flowList = (words: readonly string[]): string => `[${words.map(valueText).join(', ')}]`

const rangeOf = ({ range }: Node): [start: number, end: number] => [range?.[0] ?? 0, range?.[1] ?? 0]

/** The items of a list; the pairs of a mapping have no place of their own. */
function itemsOf(node: Node | null): Node[] | undefined {
  const items = node !== null && 'items' in node ? (node as YAMLSeq<Node>).items : undefined
  return items?.every((item) => 'range' in item) ? (items as Node[]) : undefined
}

const isFlow = (node: Node | null): boolean => (node as YAMLSeq | null)?.flow === true

/** The mapping with a key a line; undefined for any other document. */
function blockMappingOf(document: Document | undefined): YAMLMap<Scalar, Node | null> | undefined {
  const contents = document?.contents as YAMLMap<Scalar, Node | null> | null | undefined
  if (!contents || !('items' in contents) || contents.flow) return undefined
  const isPlain = contents.items.every((item) => item.key && 'value' in item.key && item.key.range)
  return isPlain ? contents : undefined
}
