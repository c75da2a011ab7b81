import { api } from '../../data/api.ts'
import { saveDocument } from '../../data/note-documents.ts'
import { navigate } from '../../router.ts'
import { noteAddress } from './place.ts'
import { MAX_TITLE } from './title.tsx'

const COPY = ' (copy)'

/** Makes a note with the same text, tags and properties, and opens it. */
export async function duplicateNote(id: string): Promise<void> {
  await saveDocument(id)
  const params = { id }
  const [{ note }, { properties }] = await Promise.all([
    api.get('/v1/notes/{id}', { params, isFresh: true }),
    api.get('/v1/notes/{id}/properties', { params }),
  ])
  const set = Object.entries(properties).filter(([, value]) => value !== null)
  const made = await api.post('/v1/notes', {
    body: {
      title: note.title.slice(0, MAX_TITLE - COPY.length) + COPY,
      content: note.content,
      tags: note.tags,
      properties: Object.fromEntries(set),
    },
  })
  navigate(noteAddress(made.note.id))
}

/** A note that is drawn for longer is printed as far as it is there. */
const PATIENCE_MS = 5_000
const STEP_MS = 100

/** Prints the note once its preview no longer grows. */
export async function printShown(): Promise<void> {
  const drawn = () => document.querySelectorAll('#note .read > *').length
  let known = -1
  for (let waited = 0; waited < PATIENCE_MS && (drawn() === 0 || drawn() !== known); waited += STEP_MS) {
    known = drawn()
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
  }
  print()
}
