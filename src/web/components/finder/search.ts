import { api } from '../../data/api.ts'
import { asPrefix, findNotes as findByTitle } from '../../data/find-notes.ts'
import { mayWrite } from '../../data/session.ts'
import { address, navigate } from '../../router.ts'
import type { IconName } from '../icon.tsx'
import { fileAddress, noteAddress, recordAddress } from '../places.ts'
import { recordLabel, type Structure } from '../record-label.ts'

/** Something the finder offers: it leads to an address, or does something. */
export interface Found {
  readonly id: string
  readonly icon: IconName
  readonly title: string
  /** What it is: `note`, the name of a structure, … */
  readonly what: string
  readonly to?: string
  readonly run?: () => Promise<unknown> | undefined
}

const MAX_NOTES = 6
const MAX_ROWS = 6
const MAX_FILES = 4
const MAX_STRUCTURES = 3
/** The longest text that rows are searched for. */
const MAX_ROW_TEXT = 200
/** So many structures are searched at the same time. */
const TOGETHER = 4

/** Notes by title and text; without a text those edited last. */
export const findNotes = async (text: string, signal: AbortSignal): Promise<Found[]> =>
  (await findByTitle(text, MAX_NOTES, signal)).map(({ id, title }) => ({
    id: `note-${id}`,
    icon: 'notes',
    title,
    what: 'note',
    to: noteAddress(id),
  }))

const MAX_PRESETS = 5

/** New notes from presets that have text, whose names fit; the day is part of the title. */
export async function findPresets(text: string, signal: AbortSignal): Promise<Found[]> {
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
      run: () => makeNoteFrom(id, name),
    }))
}

async function makeNoteFrom(preset: string, name: string): Promise<void> {
  const { timeZone: tz } = Intl.DateTimeFormat().resolvedOptions()
  const day = new Date().toLocaleDateString(undefined, { dateStyle: 'long' })
  const title = `${name.slice(0, 400)}, ${day}`
  const { note } = await api.post('/v1/notes', { body: { title, preset, tz } })
  navigate(noteAddress(note.id))
}

/** Files by name and text, each once. */
export async function findFiles(text: string, signal: AbortSignal): Promise<Found[]> {
  const { results } = await api.get('/v1/files/search', { query: { q: asPrefix(text), limit: 20 }, signal })
  const files = new Map(results.map(({ file }) => [file.id, file.file_name]))
  return [...files].slice(0, MAX_FILES).map(([id, name]) => ({
    id: `file-${id}`,
    icon: 'file',
    title: name,
    what: 'file',
    to: fileAddress(id),
  }))
}

/** Structures by name, and rows of any structure that hold the text in any field; searched until there are enough. */
export async function findRows(text: string, signal: AbortSignal): Promise<Found[]> {
  if (text.length > MAX_ROW_TEXT) return []
  const { structures } = await api.get('/v1/records/structures', { signal })
  const found = structures
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .slice(0, MAX_STRUCTURES)
    .map(structureFound)
  for (let at = 0; at < structures.length && found.length < MAX_ROWS; at += TOGETHER) {
    const some = structures.slice(at, at + TOGETHER)
    found.push(...(await Promise.all(some.map((one) => rowsOf(one, text, signal)))).flat())
  }
  return found.slice(0, MAX_ROWS)
}

const structureFound = ({ id, name }: Structure): Found => ({
  id: `structure-${id}`,
  icon: 'table',
  title: name,
  what: 'structure',
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
    to: recordAddress(structure.id, record.id),
  }))
}
