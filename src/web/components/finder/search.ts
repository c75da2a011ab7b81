import { fileAddress, noteAddress, recordAddress } from '../../data/addresses.ts'
import { api } from '../../data/api.ts'
import type { FoundNote, Found as Results } from '../../data/find-notes.ts'
import { newIds } from '../../data/new-ids.ts'
import { createNoteFrom } from '../../data/presets.ts'
import { unreachableSince } from '../../data/request.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { saveDocument } from '../../offline/note-documents.ts'
import { createDocument } from '../../offline/open-document.ts'
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

const GROUPS: Readonly<Record<FoundNote['match'], Group>> = {
  recent: 'Recent',
  title: 'Title',
  text: 'In the text',
  similar_title: 'Similar titles',
  some_words: 'Some of the words',
}

/** Notes, and a link to all of them if there may be more. */
function notesFound(notes: readonly FoundNote[], text: string): Found[] {
  const found = notes.map(noteFound)
  const last = notes.at(-1)
  const isFull = found.length === MAX_NOTES && (last?.match === 'title' || last?.match === 'text')
  return last && isFull ? [...found, allNotes(text, GROUPS[last.match])] : found
}

/** Opens a note with the cursor in its text; on touch screens the keyboard would cover it. */
async function openNote(id: string): Promise<void> {
  navigate(noteAddress(id))
  if (mayWriteNotes.peek() && !matchMedia('(pointer: coarse)').matches)
    history.replaceState({ typing: { field: 'content', offset: 0 } }, '')
}

function noteFound(note: FoundNote): Found {
  const { id, title, tags, updated_at, match, matched_alias, snippet, excerpt } = note
  const shown: (string | undefined)[] = [...tags, matched_alias]
  return {
    id: `note-${id}`,
    icon: 'notes',
    title,
    detail: shortTime(new Date(updated_at)),
    group: GROUPS[match],
    alias: matched_alias,
    tags,
    // Tags and alias are shown beside the title.
    snippet: shown.includes(snippet?.replace(/<\/?mark>/g, '')) ? undefined : snippet,
    excerpt,
    run: () => openNote(id),
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

const structureFound = ({ id, name }: Results['structures'][number]): Found => ({
  id: `structure-${id}`,
  icon: 'table',
  title: name,
  detail: 'table',
  group: 'Rows',
  to: address(['records', id]),
})

const rowFound = ({ id, structure_id, structure, label }: Results['records'][number]): Found => ({
  id: `record-${id}`,
  icon: 'table',
  title: label,
  detail: structure,
  group: 'Rows',
  to: recordAddress(structure_id, id),
})

const fileFound = ({ id, file_name }: Results['files'][number]): Found => ({
  id: `file-${id}`,
  icon: 'file',
  title: file_name,
  detail: 'file',
  group: 'Files',
  to: fileAddress(id),
})

/** Offers a new note from a preset. */
const presetFound = ({ id, name }: Results['presets'][number]): Found => ({
  id: `preset-${id}`,
  icon: 'plus',
  title: `New note from ${name}`,
  detail: 'command',
  group: 'Actions',
  run: () => createNoteFrom(id, name),
})

/** Finds notes, rows, files and presets with one request. */
export async function search(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const { notes, structures, records, files, presets } = await api.get('/v1/search', {
    query: { q: text, limit: MAX_NOTES },
    signal,
  })
  return [
    ...notesFound(notes, text),
    ...structures.map(structureFound),
    ...records.map(rowFound),
    ...files.map(fileFound),
    ...(mayWriteNotes.peek() ? presets.map(presetFound) : []),
  ]
}
