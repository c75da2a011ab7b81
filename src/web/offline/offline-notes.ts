import { aliasesOf } from '../../lib/aliases.ts'
import { textsIn } from '../../lib/json-texts.ts'
import { compareCodePoints, fold } from '../../lib/text.ts'
import { bracketed, linkOf, namesIn, parseLinks, targetKey } from '../../lib/wiki-links.ts'
import { type Phrase, parseSearch, symbolsIn, visitWords } from '../../lib/words.ts'
import { isMatch, snippetAround } from '../../search/highlighter.ts'
import { noteSnippet } from '../../search/note-snippet.ts'
import type { components } from '../data/api-types.d.ts'

/** A note without its text, so that lists of thousands of notes load fast. */
export interface OfflineNote extends Omit<components['schemas']['Note'], 'content'> {
  readonly edited_at: string
  readonly excerpt: string
  /** Its property values by key, if the whole note is stored. */
  readonly properties?: Readonly<Record<string, unknown>>
}

export interface NotesQuery {
  readonly tag?: string
  readonly search?: string
  readonly sort?: string
  readonly direction?: string
  readonly fits?: NoteTest
  readonly limit: number
  readonly offset: number
}

type NoteTest = (note: OfflineNote) => boolean

/** The parts of a filter of notes that can be evaluated offline. */
export interface Filter {
  readonly type?: string
  readonly match?: string
  readonly children?: readonly Filter[]
  readonly field?: string
  readonly op?: string
  readonly value?: unknown
}

/** Tests of titles. The searched text is folded, except for `eq`. */
const NAME_TESTS: Readonly<Record<string, (name: string, wanted: string) => boolean>> = {
  eq: (name, wanted) => name === wanted,
  starts_with: (name, wanted) => fold(name).startsWith(fold(wanted)),
  contains: (name, wanted) => fold(name).includes(fold(wanted)),
}

/** The test of a filter that uses only titles; undefined for other filters. */
export function nameTest({
  type,
  match,
  children = [],
  field,
  op = '',
  value,
}: Filter): NoteTest | undefined {
  if (type === 'group' && match === 'all') {
    const tests = children.map(nameTest)
    return tests.includes(undefined) ? undefined : (note) => tests.every((test) => test?.(note))
  }
  const test = NAME_TESTS[op]
  if ((field !== 'title' && field !== 'alias') || typeof value !== 'string' || !test) return undefined
  return ({ [field]: name }) => name !== null && test(name, value)
}

type Sortable = 'updated_at' | 'edited_at' | 'created_at' | 'title'
const SORTS: readonly string[] = ['updated_at', 'edited_at', 'created_at', 'title'] satisfies Sortable[]

/** Lists, searches and links the stored notes in the same way as the server. */
export class OfflineNotes {
  readonly #byId: ReadonlyMap<string, OfflineNote>
  #terms: ReadonlyMap<string, ReadonlySet<OfflineNote>> | undefined
  #names: ReadonlyMap<string, OfflineNote> | undefined

  constructor(
    readonly notes: readonly OfflineNote[],
    /** By note ID; some notes have only a title. */
    readonly texts: ReadonlyMap<string, string>,
  ) {
    this.#byId = new Map(notes.map((note) => [note.id, note]))
  }

  find(id: string): OfflineNote | undefined {
    return this.#byId.get(id)
  }

  /** A page of the matching notes, with snippets for a search. */
  list({ tag, search, sort, direction, fits = () => true, limit, offset }: NotesQuery) {
    const phrases = search === undefined ? undefined : parseSearch(search)
    const isTagged = ({ tags }: OfflineNote) =>
      tag === undefined || tags.some((one) => fold(one) === fold(tag))
    const tagged = this.notes.filter((note) => isTagged(note) && fits(note))
    const found = phrases ? this.#search(tagged, phrases) : tagged
    const by = SORTS.includes(sort ?? '') ? (sort as Sortable) : undefined
    if (by || !phrases) found.sort(order(by ?? 'updated_at', direction))
    else
      found.sort((one, other) => this.#rank(one, phrases) - this.#rank(other, phrases) || newest(one, other))
    const notes = found
      .slice(offset, offset + limit)
      .map((note) => (phrases ? { ...note, snippet: this.#snippet(note, phrases) } : note))
    return { notes, total: found.length, has_more: offset + limit < found.length }
  }

  /* Reads for `findNotes`. */

  lastEdited(limit: number) {
    return this.list({ sort: 'edited_at', limit, offset: 0 }).notes
  }

  named(filter: Filter, limit: number) {
    const fits = nameTest(filter)
    return fits ? this.list({ fits, limit, offset: 0 }).notes : []
  }

  /** Offline, a note must have all words. */
  withWords(search: string, limit: number, match: 'all' | 'any') {
    return match === 'all' ? this.list({ search, limit, offset: 0 }).notes : []
  }

  /** The names of a note, its tags and its text. */
  #partsOf(note: OfflineNote): readonly (readonly string[])[] {
    return [[note.title, ...aliasesOf(note)], [note.tags.join('\n')], [this.texts.get(note.id) ?? '']]
  }

  /** Notes by their words. */
  get #index(): ReadonlyMap<string, ReadonlySet<OfflineNote>> {
    if (this.#terms) return this.#terms
    const terms = new Map<string, Set<OfflineNote>>()
    const add = (term: string, note: OfflineNote) => {
      const holders = terms.get(term)
      if (holders) holders.add(note)
      else terms.set(term, new Set([note]))
      return false
    }
    for (const note of this.notes)
      for (const part of this.#partsOf(note).flat()) {
        visitWords(part, (term) => add(term, note))
        for (const { term } of symbolsIn(part)) add(term, note)
      }
    this.#terms = terms
    return terms
  }

  #search(among: readonly OfflineNote[], phrases: readonly Phrase[]): OfflineNote[] {
    if (phrases.length === 0) return []
    const tests = phrases.map((phrase) => this.#test(phrase))
    return among.filter((note) => tests.every((test) => test(note)))
  }

  #test(phrase: Phrase): (note: OfflineNote) => boolean {
    const { terms, isPrefix, isExcluded, titlesOnly } = phrase
    const wanted = { ...phrase, isExcluded: false }
    const sets = terms.map((term, at) => this.#holders(term, isPrefix && at === terms.length - 1))
    const occurs = (note: OfflineNote): boolean => {
      if (!sets.every((set) => set.has(note))) return false
      if (terms.length === 1 && !titlesOnly) return true
      const parts = this.#partsOf(note).slice(0, titlesOnly ? -1 : undefined)
      return parts.flat().some((part) => isMatch(part, [wanted]))
    }
    return (note) => occurs(note) !== isExcluded
  }

  #holders(term: string, isPrefix: boolean): ReadonlySet<OfflineNote> {
    if (!isPrefix) return this.#index.get(term) ?? new Set()
    const all = new Set<OfflineNote>()
    for (const [known, holders] of this.#index)
      if (known.startsWith(term)) for (const note of holders) all.add(note)
    return all
  }

  /** Matches in the title rank first, then matches in tags. */
  #rank(note: OfflineNote, phrases: readonly Phrase[]): number {
    const wanted = phrases.filter(({ isExcluded }) => !isExcluded)
    const place = this.#partsOf(note).findIndex((parts) =>
      wanted.some((phrase) => parts.some((part) => isMatch(part, [phrase]))),
    )
    return place === -1 ? 3 : place
  }

  #snippet(note: OfflineNote, phrases: readonly Phrase[]): string {
    const [names = [], tags = [], [text = ''] = []] = this.#partsOf(note)
    return noteSnippet(text, [...names, ...tags], phrases)
  }

  /** Notes by link target: ID, else alias, else title (of several notes, the oldest). */
  get #targets(): ReadonlyMap<string, OfflineNote> {
    if (this.#names) return this.#names
    const names = new Map<string, OfflineNote>()
    const newestFirst = [...this.notes].sort(order('created_at', 'desc'))
    for (const note of newestFirst) names.set(fold(note.title).trim(), note)
    for (const note of newestFirst) for (const alias of aliasesOf(note)) names.set(fold(alias).trim(), note)
    for (const note of newestFirst) names.set(note.id, note)
    this.#names = names
    return names
  }

  #resolve(target: string): OfflineNote | undefined {
    for (const name of namesIn(target)) {
      const found = this.#targets.get(fold(name).trim())
      if (found) return found
    }
    return undefined
  }

  /** The texts of a note that may contain links: its body, then its property values. */
  #linkedTextsOf = (id: string): string[] => [
    this.texts.get(id) ?? '',
    ...textsIn(this.#byId.get(id)?.properties ?? {}),
  ]

  /** The links of a note, and its backlinks from stored notes. */
  links(id: string) {
    const links = this.#linkedTextsOf(id).flatMap(parseLinks)
    const outgoing = links.map(({ target, label }) => {
      const note = this.#resolve(target)
      return {
        text: label ?? (note && fold(target).trim() === note.id ? note.title : target),
        note: note ? { id: note.id, title: note.title } : null,
      }
    })
    const backlinks = this.notes
      .flatMap((note) => {
        const context = this.#contextOf(note, id)
        return context === undefined ? [] : [{ note, context }]
      })
      .sort((one, other) => newest(one.note, other.note))
      .map(({ note: { id: from, title, updated_at }, context }) => ({ id: from, title, updated_at, context }))
    return { outgoing, backlinks }
  }

  /** The text around the first link from one note to another; undefined without a link. */
  #contextOf(from: OfflineNote, to: string): string | undefined {
    for (const text of this.#linkedTextsOf(from.id))
      for (const { text: inner, start } of bracketed(text)) {
        const link = linkOf(inner)
        if (!link || targetKey(link.target) === '' || this.#resolve(link.target)?.id !== to) continue
        return snippetAround(text, [{ start: start - '[['.length, end: start + inner.length + ']]'.length }])
      }
    return undefined
  }
}

const newest = (one: OfflineNote, other: OfflineNote): number =>
  compareCodePoints(other.updated_at, one.updated_at) || compareCodePoints(other.id, one.id)

function order(
  by: Sortable,
  direction: string | undefined,
): (one: OfflineNote, other: OfflineNote) => number {
  const sign = (direction ?? (by === 'title' ? 'asc' : 'desc')) === 'asc' ? 1 : -1
  const folded = new Map<OfflineNote, string>()
  const sortedBy = (note: OfflineNote): string => {
    if (by !== 'title') return note[by]
    const known = folded.get(note) ?? fold(note.title)
    folded.set(note, known)
    return known
  }
  return (one, other) =>
    sign * (compareCodePoints(sortedBy(one), sortedBy(other)) || compareCodePoints(one.id, other.id))
}
