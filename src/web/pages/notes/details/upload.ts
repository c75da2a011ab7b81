import { api } from '../../../data/api.ts'
import type { StoredFile } from '../../../data/files.ts'
import { mayWriteNotes } from '../../../data/session.ts'
import { upload } from '../../../data/upload.ts'

/** Replaces characters that would end the label of a link. */
const asLabel = (name: string) => name.replace(/[[\]|\r\n]/g, ' ')

const linkTo = ({ id, file_name, mime_type }: StoredFile) =>
  `${mime_type.startsWith('image/') ? '!' : ''}[[file:${id}|${asLabel(file_name)}]]`

/** Inserts text where files were dropped or pasted. Returns false if the editor is closed. */
export type Insert = (text: string) => boolean

/** Uploads files to a note and inserts a link to each, at the end of the note if its editor was closed meanwhile. */
export function storeWithNote(note: string, files: readonly File[], insert?: Insert): void {
  if (!mayWriteNotes.peek()) return
  const link = async (stored: StoredFile) => {
    const text = linkTo(stored)
    if (insert?.(`${text}\n`)) return
    await api.post('/v1/notes/{id}/append', { params: { id: note }, body: { text } })
  }
  upload(files, { note, onStored: insert && link })
}
