import { useEffect, useRef } from 'preact/hooks'
import { useAction, Why } from '../../components/form.tsx'
import { usePartTitle } from '../../components/page-title.ts'
import { api } from '../../data/api.ts'
import { findDocument, openDocument, showDocument } from '../../data/note-documents.ts'
import { unfinished } from '../../data/pending.ts'
import { navigate } from '../../router.ts'
import { BackToList } from './list-pane.tsx'
import { list, newTitle, noteAddress } from './place.ts'
import { MAX_TITLE, oneLine, type Typing } from './title.tsx'

const UNTITLED = 'New note'
/** Who types on without a pause types into the same field. */
const PAUSE_MS = 150

/** What is typed into these two fields; the note is made with the first character, so that none is left empty. */
function useNewNote() {
  const title = useRef<HTMLTextAreaElement>(null)
  const content = useRef<HTMLTextAreaElement>(null)
  const made = useRef<{ readonly id: string; readonly leave: () => void } | undefined>(undefined)
  /** What was sent first: sent again, it makes no second note. */
  const sent = useRef<{ readonly title: string; readonly content: string } | undefined>(undefined)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  const typed = () => ({
    title: oneLine(title.current?.value ?? '').trim() === '' ? UNTITLED : oneLine(title.current?.value ?? ''),
    content: content.current?.value ?? '',
  })
  const open = (id: string) => {
    const field = document.activeElement === content.current ? 'content' : 'title'
    const at = (field === 'content' ? content : title).current?.selectionStart ?? 0
    made.current = undefined
    navigate(noteAddress(id), { replace: true })
    history.replaceState({ typing: { field, at } satisfies Typing }, '')
  }
  const goOn = () => {
    const { id } = made.current ?? {}
    if (id === undefined) return
    findDocument(id)?.queue.edit(typed())
    clearTimeout(pause.current)
    pause.current = setTimeout(() => open(id), PAUSE_MS)
  }
  const creation = useAction(async () => {
    const tags = list.peek().kind === 'tag' ? [(list.peek() as { name: string }).name] : []
    const editor = import('./editor/code-mirror.ts')
    sent.current ??= typed()
    const { note } = await api.post('/v1/notes', { body: { ...sent.current, tags } })
    openDocument(note.id, note)
    made.current = { id: note.id, leave: showDocument(note.id) }
    // Without its code the note says itself that it was not loaded.
    await editor.catch(() => {})
    goOn()
  })
  useEffect(() => {
    const isUnfinished = () => creation.isRunning.peek() || creation.refusal.peek() !== undefined
    unfinished.add(isUnfinished)
    return () => {
      unfinished.delete(isUnfinished)
      clearTimeout(pause.current)
      made.current?.leave()
    }
  }, [creation.isRunning, creation.refusal])
  const onInput = ({ isComposing }: InputEvent) => {
    if (isComposing || (title.current?.value === newTitle.peek() && content.current?.value === '')) return
    if (made.current) goOn()
    else void creation.run()
  }
  return { title, content, onInput, refusal: creation.refusal }
}

/** An empty sheet. */
export function NewNote() {
  const { title, content, onInput, refusal } = useNewNote()
  usePartTitle(UNTITLED)
  // A title that is given is no text yet: the note is made with what is written into it.
  useEffect(() => (newTitle.peek() === '' ? title : content).current?.focus(), [title, content])
  return (
    <section class="pane content" id="note" aria-label="Note">
      <header class="bar">
        <BackToList />
      </header>
      {refusal.value && <Why>{refusal.value}</Why>}
      <article class="sheet">
        <h2 class="title">
          <textarea
            ref={title}
            class="title-field"
            rows={1}
            maxLength={MAX_TITLE}
            aria-label="Title"
            placeholder="Title"
            defaultValue={newTitle.peek()}
            onInput={onInput}
            onCompositionEnd={() => onInput({ isComposing: false } as InputEvent)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== 'ArrowDown') return
              if (event.key === 'Enter') event.preventDefault()
              content.current?.focus()
            }}
          />
        </h2>
        <div class="source">
          <textarea
            ref={content}
            class="text-field"
            rows={12}
            aria-label="Text"
            placeholder="Write here; nothing is kept of an empty note."
            onInput={onInput}
            onCompositionEnd={() => onInput({ isComposing: false } as InputEvent)}
          />
        </div>
      </article>
    </section>
  )
}
