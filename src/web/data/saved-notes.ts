import { api } from './api.ts'
import { keyOfChange, NOT_MADE, type NoteText, type NoteVersion } from './note-text.ts'
import { Refused } from './request.ts'

/** Saves changes of a note if it still has this `updated_at`, or creates it. */
export const saveNote = (
  id: string,
  changes: Partial<NoteText>,
  if_unchanged: string,
  tags: readonly string[],
): Promise<NoteVersion> =>
  if_unchanged === NOT_MADE ? makeNote(id, changes, tags) : changeNote(id, changes, if_unchanged)

async function changeNote(
  id: string,
  changes: Partial<NoteText>,
  if_unchanged: string,
): Promise<NoteVersion> {
  const body = { ...changes, if_unchanged, ...(changes.title !== undefined && { rewrite_links: true }) }
  const { note } = await api.patch('/v1/notes/{id}', { params: { id }, body, headers: keyOfChange(body) })
  return versionOf(note)
}

async function makeNote(
  id: string,
  { title = '', content = '' }: Partial<NoteText>,
  tags: readonly string[],
): Promise<NoteVersion> {
  const data = { title, content, tags: [...tags] }
  const body = { changes: [{ kind: 'note' as const, op: 'created' as const, id, data }] }
  try {
    await api.post('/v1/changes/apply', { body, headers: keyOfChange(body) })
  } catch (error) {
    // An earlier request without a response created the note, so later edits are changes of it.
    const isMade = error instanceof Refused && error.code === 'name_taken'
    throw isMade ? new Refused(409, 'stale', error.message, undefined) : error
  }
  return readVersion(id)
}

export const readVersion = async (id: string): Promise<NoteVersion> =>
  versionOf((await api.get('/v1/notes/{id}', { params: { id }, isFresh: true })).note)

const versionOf = ({ title, content, updated_at }: NoteVersion): NoteVersion => ({
  title,
  content,
  updated_at,
})
