import { api } from '../../data/api.ts'
import { asPrefix, findNotes as findByText, isNamed } from '../../data/find-notes.ts'
import { newIds } from '../../data/new-ids.ts'
import { makeDocument, saveDocument } from '../../data/note-documents.ts'
import { makeNoteFrom } from '../../data/presets.ts'
import { awaySince } from '../../data/request.ts'
import { mayWrite } from '../../data/session.ts'
import { address, navigate } from '../../router.ts'
import type { IconName } from '../icon.tsx'
import { fileAddress, noteAddress, recordAddress } from '../places.ts'
import { recordLabel, type Structure } from '../record-label.ts'
import { shortTime } from '../time.tsx'

/** Something the finder offers: it leads to an address, or does something. */
export interface Found {
  readonly id: string
  readonly icon: IconName
  readonly title: string
  /** What it is: the name of a structure, when a note was edited, … */
  readonly what: string
  /** Under which heading it stands. */
  readonly group: Group
  /** By which it was found. */
  readonly alias?: string | undefined
  /** The tags of a note. */
  readonly tags?: readonly string[]
  /** What is in it, as HTML with the hits marked, or as text. */
  readonly snippet?: string | undefined
  readonly excerpt?: string | undefined
  readonly to?: string
  readonly run?: () => Promise<unknown> | undefined
}

export type Group = 'Recent' | 'Title' | 'In the text' | 'Rows' | 'Files' | 'Do'

const MAX_NOTES = 8
const MAX_ROWS = 6
const MAX_FILES = 4
const MAX_STRUCTURES = 3
/** The longest text that rows are searched for. */
const MAX_ROW_TEXT = 200
/** So many structures are searched at the same time. */
const TOGETHER = 4

/** Notes by title, alias and text; without a text those edited last. */
async function findNotes(text: string, signal: AbortSignal): Promise<Found[]> {
  const notes = await findByText(text, MAX_NOTES, signal)
  const found = notes.map(
    (note): Found => ({
      id: `note-${note.id}`,
      icon: 'notes',
      title: note.title,
      what: shortTime(new Date(note.updated_at)),
      group: text === '' ? 'Recent' : isNamed(note, text) ? 'Title' : 'In the text',
      alias: note.alias !== null && isNamed({ ...note, title: '' }, text) ? note.alias : undefined,
      tags: note.tags,
      // The tags are there already.
      snippet: note.tags.includes(note.snippet?.replace(/<\/?mark>/g, '') ?? '') ? undefined : note.snippet,
      excerpt: note.excerpt,
      to: noteAddress(note.id),
    }),
  )
  const last = found.at(-1)
  return text !== '' && last && found.length === MAX_NOTES ? [...found, allNotes(text, last.group)] : found
}

/** Leads to the list of all notes that have the text. */
const allNotes = (text: string, group: Group): Found => ({
  id: 'all-notes',
  icon: 'search',
  title: `Show all notes with “${text}”`,
  what: 'list',
  group,
  to: address(['notes'], { search: text }),
})

/** Makes a note of this title and goes there; while the server is away, it waits here. */
export async function makeNote(title: string): Promise<void> {
  let [id = ''] = newIds(1)
  if (awaySince.peek() === undefined) id = (await api.post('/v1/notes', { body: { title } })).note.id
  else {
    makeDocument(id, { title, content: '' }, [])
    await saveDocument(id)
  }
  navigate(noteAddress(id))
}

const MAX_PRESETS = 5

/** New notes from presets that have text, whose names fit; the day is part of the title. */
async function findPresets(text: string, signal: AbortSignal): Promise<Found[]> {
  if (!mayWrite.peek()) return []
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
      what: 'command',
      group: 'Do',
      run: () => makeNoteFrom(id, name),
    }))
}

/** Files by name and text, each once. */
async function findFiles(text: string, signal: AbortSignal): Promise<Found[]> {
  const { results } = await api.get('/v1/files/search', { query: { q: asPrefix(text), limit: 20 }, signal })
  const files = new Map(results.map(({ file }) => [file.id, file.file_name]))
  return [...files].slice(0, MAX_FILES).map(([id, name]) => ({
    id: `file-${id}`,
    icon: 'file',
    title: name,
    what: 'file',
    group: 'Files',
    to: fileAddress(id),
  }))
}

/** Structures by name, and rows of any structure that hold the text in any field; searched until there are enough. */
async function findRows(text: string, signal: AbortSignal, tell: Tell): Promise<Found[]> {
  if (text.length > MAX_ROW_TEXT) return []
  const { structures } = await api.get('/v1/records/structures', { signal })
  const found = structures
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .slice(0, MAX_STRUCTURES)
    .map(structureFound)
  for (let at = 0; at < structures.length && found.length < MAX_ROWS; at += TOGETHER) {
    const some = structures.slice(at, at + TOGETHER)
    const rows = some.map((one) => rowsOf(one, text, signal).catch(tell))
    found.push(...(await Promise.all(rows)).flat())
  }
  return found.slice(0, MAX_ROWS)
}

const structureFound = ({ id, name }: Structure): Found => ({
  id: `structure-${id}`,
  icon: 'table',
  title: name,
  what: 'table',
  group: 'Rows',
  to: address(['records', id]),
})

async function rowsOf(structure: Structure, text: string, signal: AbortSignal): Promise<Found[]> {
  const filter = JSON.stringify([{ field: '*', op: 'contains', value: text }])
  const { records } = await api.get('/v1/records', {
    query: { structure: structure.id, filter, limit: MAX_ROWS },
    signal,
  })
  return records.map((record) => ({
    id: `record-${record.id}`,
    icon: 'table',
    title: recordLabel(structure, record),
    what: structure.name,
    group: 'Rows',
    to: recordAddress(structure.id, record.id),
  }))
}

/** Has it said that something could not be searched, of which nothing is found. */
type Tell = (failure: Error) => never[]

type Source = (text: string, signal: AbortSignal, tell: Tell) => Promise<Found[]>

const SOURCES: readonly Source[] = [findNotes, findRows, findFiles, findPresets]
const WITHOUT_TEXT: readonly Source[] = [findNotes, findPresets]

/** What was found for a text until now, each group of one source. */
export interface Answer {
  readonly text: string
  readonly groups: readonly (readonly Found[])[]
  readonly isDone: boolean
  readonly error?: Error
}

/** Shows what fits the text, again whenever a source has responded. */
export async function search(
  text: string,
  signal: AbortSignal,
  show: (answer: Answer) => void,
): Promise<void> {
  const sources = text === '' ? WITHOUT_TEXT : SOURCES
  const groups: Found[][] = sources.map(() => [])
  let error: Error | undefined
  let open = sources.length
  const tell = (failure: Error) => {
    error = failure
    return []
  }
  await Promise.all(
    sources.map(async (find, at) => {
      groups[at] = await find(text, signal, tell).catch(tell)
      open -= 1
      if (!signal.aborted) show({ text, groups: [...groups], isDone: open === 0, ...(error && { error }) })
    }),
  )
}
