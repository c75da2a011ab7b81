import { findPassage } from '../../../../lib/passage.ts'
import { lazy } from '../../../components/lazy.tsx'
import type { Thread } from '../../../data/comments.ts'
import { findDocument } from '../../../offline/note-documents.ts'
import { goToOffset } from '../editor/headings.ts'

const Comments = lazy(async () => (await import('../../comments/comments.tsx')).Comments)

/** The comments of a note; their passages lead into the editor. */
export function NoteComments({ id }: { id: string }) {
  const showerOf = ({ first: { passage } }: Thread) => {
    const text = findDocument(id)?.draft.text.value.content
    const range = passage && text !== undefined ? findPassage(text, passage) : undefined
    return range && (() => goToOffset.value?.(range.from))
  }
  return <Comments of={{ note_id: id }} showerOf={showerOf} />
}
