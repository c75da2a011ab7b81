import { api } from '../../data/api.ts'
import { saveDocument } from '../../offline/note-documents.ts'
import { navigate } from '../../router.ts'
import { noteAddress } from './route.ts'
import { MAX_TITLE } from './title.tsx'

const SUFFIX = ' (copy)'

/** Creates a copy of a note with its text, tags and properties, and opens it. */
export async function duplicateNote(id: string): Promise<void> {
  await saveDocument(id)
  const params = { id }
  const [{ note }, { properties }] = await Promise.all([
    api.get('/v1/notes/{id}', { params, isFresh: true }),
    api.get('/v1/notes/{id}/properties', { params }),
  ])
  const values = Object.entries(properties).filter(([, value]) => value !== null)
  const copy = await api.post('/v1/notes', {
    body: {
      title: note.title.slice(0, MAX_TITLE - SUFFIX.length) + SUFFIX,
      content: note.content,
      tags: note.tags,
      properties: Object.fromEntries(values),
    },
  })
  navigate(noteAddress(copy.note.id))
}

/** Maximum wait for the preview; then the part rendered so far is printed. */
const MAX_WAIT_MS = 5_000
const STEP_MS = 100

/** Prints the note once its preview is completely rendered. */
export async function printShown(): Promise<void> {
  const rendered = () => document.querySelectorAll('#note .read > *').length
  let last = -1
  for (let waited = 0; waited < MAX_WAIT_MS && (rendered() === 0 || rendered() !== last); waited += STEP_MS) {
    last = rendered()
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
  }
  print()
}
