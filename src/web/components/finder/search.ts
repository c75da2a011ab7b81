import { fileAddress, noteAddress, recordAddress } from '../../data/addresses.ts'
import { api } from '../../data/api.ts'
import {
  aliasFor,
  asPrefixes,
  type FoundNote,
  findNotes as findByText,
  isNamed,
} from '../../data/find-notes.ts'
import { newIds } from '../../data/new-ids.ts'
import { createNoteFrom } from '../../data/presets.ts'
import { recordLabel, type Structure } from '../../data/records/record-label.ts'
import { unreachableSince } from '../../data/request.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { createDocument, saveDocument } from '../../offline/note-documents.ts'
import { address, navigate } from '../../router.ts'
import type { IconName } from '../icon.tsx'
import { shortTime } from '../time.tsx'

/** A result of the finder: it opens an address or runs a command. */
export interface Found {
  readonly id: string
  readonly icon: IconName
  readonly title: string
  /** Secondary text, such as the table of a row or the time a note was edited. */
  readonly detail: string

  readonly group: Group
  /** An alias that matches. */
  readonly alias?: string | undefined

  readonly tags?: readonly string[]
  /** HTML with marked hits. */
  readonly snippet?: string | undefined
  /** Plain text, shown without a snippet. */
  readonly excerpt?: string | undefined
  readonly to?: string
  readonly run?: () => Promise<unknown> | undefined
}

export type Group =
  | 'Recent'
  | 'Title'
  | 'In the text'
  | 'Similar titles'
  | 'Some of the words'
  | 'Rows'
  | 'Files'
  | 'Actions'

const MAX_NOTES = 8
const MAX_ROWS = 6
const MAX_FILES = 4
const MAX_STRUCTURES = 3
/** Longer text is not searched for in rows. */
const MAX_ROW_TEXT = 200
/** Further words are not searched for in rows. */
const MAX_ROW_WORDS = 5
/** Structures searched in parallel. */
const MAX_PARALLEL = 4

/**
 * Notes that match by title, alias or text; for empty text, the last edited. If none does: notes with a similar title or
 * with some of the words.
 */
async function findNotes(text: string, signal: AbortSignal): Promise<Found[]> {
  const notes = await findByText(text, MAX_NOTES, signal)
  if (notes.length === 0 && text !== '') {
    const { findSimilar } = await import('../../data/find-similar.ts')
    const { titles, texts } = await findSimilar(text, MAX_NOTES, signal)
    return [
      ...titles.map((note) => noteFound(note, 'Similar titles')),
      ...texts.map((note) => noteFound(note, 'Some of the words')),
    ]
  }
  const found = notes.map((note): Found => {
    const group = text === '' ? 'Recent' : isNamed(note, text) ? 'Title' : 'In the text'
    return noteFound(note, group, aliasFor(note, text))
  })
  const last = found.at(-1)
  return text !== '' && last && found.length === MAX_NOTES ? [...found, allNotes(text, last.group)] : found
}

/** Opens a note with the cursor in its text; on touch screens the keyboard would cover it. */
async function openNote(id: string): Promise<void> {
  navigate(noteAddress(id))
  if (mayWriteNotes.peek() && !matchMedia('(pointer: coarse)').matches)
    history.replaceState({ typing: { field: 'content', offset: 0 } }, '')
}

function noteFound(note: FoundNote, group: Group, alias?: string): Found {
  const shown: (string | undefined)[] = [...note.tags, alias]
  return {
    id: `note-${note.id}`,
    icon: 'notes',
    title: note.title,
    detail: shortTime(new Date(note.updated_at)),
    group,
    alias,
    tags: note.tags,
    // Tags and alias are shown beside the title.
    snippet: shown.includes(note.snippet?.replace(/<\/?mark>/g, '')) ? undefined : note.snippet,
    excerpt: note.excerpt,
    run: () => openNote(note.id),
  }
}

/** A link to the list of all notes with the text. */
const allNotes = (text: string, group: Group): Found => ({
  id: 'all-notes',
  icon: 'search',
  title: `Show all notes with “${text}”`,
  detail: 'list',
  group,
  to: address(['notes'], { search: text }),
})

/** Creates a note with this title and opens it. While the server is unreachable, the note is a local draft. */
export async function createNote(title: string): Promise<void> {
  let [id = ''] = newIds(1)
  if (unreachableSince.peek() === undefined) id = (await api.post('/v1/notes', { body: { title } })).note.id
  else {
    createDocument(id, { title, content: '' }, [])
    await saveDocument(id)
  }
  navigate(noteAddress(id))
}

const MAX_PRESETS = 5

/** Offers a new note from each preset that has text and whose title matches. */
async function findPresets(text: string, signal: AbortSignal): Promise<Found[]> {
  if (!mayWriteNotes.peek()) return []
  const { presets } = await api.get('/v1/presets', { signal })
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return presets
    .filter(({ content }) => content !== undefined)
    .map(({ id, name }) => ({ id, name, title: `New note from ${name}` }))
    .filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
    .slice(0, MAX_PRESETS)
    .map(({ id, name, title }) => ({
      id: `preset-${id}`,
      icon: 'plus',
      title,
      detail: 'command',
      group: 'Actions',
      run: () => createNoteFrom(id, name),
    }))
}

/** Files that match by name or text; each file once. */
async function findFiles(text: string, signal: AbortSignal): Promise<Found[]> {
  const { results } = await api.get('/v1/files/search', { query: { q: asPrefixes(text), limit: 20 }, signal })
  const files = new Map(results.map(({ file }) => [file.id, file.file_name]))
  return [...files].slice(0, MAX_FILES).map(([id, name]) => ({
    id: `file-${id}`,
    icon: 'file',
    title: name,
    detail: 'file',
    group: 'Files',
    to: fileAddress(id),
  }))
}

/** Structures that match by name, and rows that contain the words in any fields, until MAX_ROWS are found. */
async function findRows(text: string, signal: AbortSignal, report: Report): Promise<Found[]> {
  if (text.length > MAX_ROW_TEXT) return []
  const { structures } = await api.get('/v1/records/structures', { signal })
  const found = structures
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .slice(0, MAX_STRUCTURES)
    .map(structureFound)
  for (let index = 0; index < structures.length && found.length < MAX_ROWS; index += MAX_PARALLEL) {
    const batch = structures.slice(index, index + MAX_PARALLEL)
    const rows = batch.map((structure) => rowsOf(structure, text, signal).catch(report))
    found.push(...(await Promise.all(rows)).flat())
  }
  return found.slice(0, MAX_ROWS)
}

const structureFound = ({ id, name }: Structure): Found => ({
  id: `structure-${id}`,
  icon: 'table',
  title: name,
  detail: 'table',
  group: 'Rows',
  to: address(['records', id]),
})

async function rowsOf(structure: Structure, text: string, signal: AbortSignal): Promise<Found[]> {
  const words = text.split(/\s+/).slice(0, MAX_ROW_WORDS)
  const filter = JSON.stringify(words.map((value) => ({ field: '*', op: 'contains', value })))
  const { records } = await api.get('/v1/records', {
    query: { structure: structure.id, filter, limit: MAX_ROWS },
    signal,
  })
  return records.map((record) => ({
    id: `record-${record.id}`,
    icon: 'table',
    title: recordLabel(structure, record),
    detail: structure.name,
    group: 'Rows',
    to: recordAddress(structure.id, record.id),
  }))
}

/** Reports a source that failed; it contributes no results. */
type Report = (failure: Error) => never[]

type Source = (text: string, signal: AbortSignal, report: Report) => Promise<Found[]>

const SOURCES: readonly Source[] = [findNotes, findRows, findFiles, findPresets]
const WITHOUT_TEXT: readonly Source[] = [findNotes, findPresets]

/** Results so far; one group per source. */
export interface SearchState {
  readonly text: string
  readonly groups: readonly (readonly Found[])[]
  readonly isDone: boolean
  readonly error?: Error
}

/** Calls `show` with all results so far whenever a source has responded. */
export async function search(
  text: string,
  signal: AbortSignal,
  show: (answer: SearchState) => void,
): Promise<void> {
  const sources = text === '' ? WITHOUT_TEXT : SOURCES
  const groups: Found[][] = sources.map(() => [])
  let error: Error | undefined
  let pending = sources.length
  const report = (failure: Error) => {
    error = failure
    return []
  }
  await Promise.all(
    sources.map(async (find, index) => {
      groups[index] = await find(text, signal, report).catch(report)
      pending -= 1
      if (!signal.aborted) show({ text, groups: [...groups], isDone: pending === 0, ...(error && { error }) })
    }),
  )
}
