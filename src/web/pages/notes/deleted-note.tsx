import { confirm } from '../../components/confirm.tsx'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { api } from '../../data/api.ts'
import type { NoteDraft } from '../../data/note-draft.ts'
import { navigate } from '../../router.ts'
import { noteAddress } from './route.ts'

const askToDiscard = (draft: NoteDraft): Promise<boolean> =>
  confirm({
    title: 'Discard your text',
    consequence: 'The note was deleted, and your text exists in this browser alone.',
    action: 'Discard text',
    act: async () => draft.discard(),
  })

/** Lets the user save the draft of a deleted note as a new note, or discard it. */
export function DeletedNote({ draft }: { draft: NoteDraft }) {
  const { run, isRunning, refusal } = useAction(async () => {
    const { title, content } = draft.text.peek()
    const { note } = await api.post('/v1/notes', { body: { title, content } })
    draft.discard()
    navigate(noteAddress(note.id))
  })
  return (
    <>
      <Button disabled={isRunning.value} onClick={() => void run()}>
        Save as a new note
      </Button>
      <Button kind="quiet" onClick={() => void askToDiscard(draft)}>
        Discard
      </Button>
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
    </>
  )
}
