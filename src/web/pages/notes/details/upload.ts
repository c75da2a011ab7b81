import { api } from '../../../data/api.ts'
import type { StoredFile } from '../../../data/files.ts'
import { mayWrite } from '../../../data/session.ts'
import { upload } from '../../../data/upload.ts'

/** Characters that would end the label of a link. */
const asLabel = (name: string) => name.replace(/[[\]|\r\n]/g, ' ')

const linkTo = ({ id, file_name, mime_type }: StoredFile) =>
  `${mime_type.startsWith('image/') ? '!' : ''}[[file:${id}|${asLabel(file_name)}]]`

/** Puts text where files were dropped or pasted; returns whether it could: the editor may be gone. */
export type Insert = (text: string) => boolean

/** Stores files with a note, and writes a link to each where it was put; at the end of a note that was left meanwhile. */
export function storeWithNote(note: string, files: readonly File[], insert?: Insert): void {
  if (!mayWrite.peek()) return
  const link = async (stored: StoredFile) => {
    const text = linkTo(stored)
    if (insert?.(`${text}\n`)) return
    await api.post('/v1/notes/{id}/append', { params: { id: note }, body: { text } })
  }
  upload(files, { note, onStored: insert && link })
}
