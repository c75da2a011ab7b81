import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useAction, Why } from '../../components/form.tsx'
import { usePartTitle } from '../../components/page-title.ts'
import { api } from '../../data/api.ts'
import { findDocument, openDocument, showDocument } from '../../data/note-documents.ts'
import { unfinished } from '../../data/pending.ts'
import { whose } from '../../data/whose.ts'
import { navigate } from '../../router.ts'
import { BackToList } from './list-pane.tsx'
import { list, newTitle, noteAddress } from './place.ts'
import { MAX_TITLE, oneLine } from './title.tsx'
import { holdKeys, type Typing } from './typing.ts'

const UNTITLED = 'New note'
/** Who types on without a pause types into the same field. */
const PAUSE_MS = 150

interface Typed {
  readonly title: string
  readonly content: string
}

/** What is typed and in no note yet, because the server is away, and by whom: it is there again when one comes back. */
const unsent = signal<(Typed & { readonly whose: string | undefined }) | undefined>(undefined)

function firstTyped(): Typed {
  const left = unsent.peek()
  return left && left.whose === whose.peek() ? left : { title: newTitle.peek(), content: '' }
}

const textOf = ({ title, content }: Typed): Typed => ({
  title: oneLine(title).trim() === '' ? UNTITLED : oneLine(title),
  content,
})

/** What is typed into these two fields; the note is made with the first character, so that none is left empty. */
function useNewNote() {
  const title = useRef<HTMLTextAreaElement>(null)
  const content = useRef<HTMLTextAreaElement>(null)
  const [first] = useState(firstTyped)
  const typed = useRef(first)
  /** The note, once it is there, until the person is in it or somewhere else. */
  const made = useRef<string | undefined>(undefined)
  /** What was sent first: sent again, it makes no second note. */
  const sent = useRef<Typed | undefined>(undefined)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isLeft = useRef(false)
  const open = (id: string) => {
    const field = document.activeElement === content.current ? 'content' : 'title'
    const at = (field === 'content' ? content : title).current?.selectionStart ?? 0
    made.current = undefined
    holdKeys()
    navigate(noteAddress(id), { replace: true })
    history.replaceState({ typing: { field, at } satisfies Typing }, '')
  }
  const goOn = (id: string) => {
    findDocument(id)?.queue.edit(textOf(typed.current))
    clearTimeout(pause.current)
    pause.current = setTimeout(() => open(id), PAUSE_MS)
  }
  const creation = useAction(async () => {
    const shown = list.peek()
    const tags = shown.kind === 'tag' ? [shown.name] : []
    const editor = import('./editor/code-mirror.ts')
    sent.current ??= textOf(typed.current)
    const { note } = await api.post('/v1/notes', { body: { ...sent.current, tags } })
    unsent.value = undefined
    openDocument(note.id, note)
    const leave = showDocument(note.id)
    findDocument(note.id)?.queue.edit(textOf(typed.current))
    if (isLeft.current) return leave()
    made.current = note.id
    // Without its code the note says itself that it was not loaded.
    await editor.catch(() => {})
    if (!isLeft.current) goOn(note.id)
  })
  useEffect(() => {
    const isUnfinished = () => creation.isRunning.peek() || unsent.peek() !== undefined
    unfinished.add(isUnfinished)
    return () => {
      isLeft.current = true
      unfinished.delete(isUnfinished)
      clearTimeout(pause.current)
      if (made.current !== undefined) showDocument(made.current)()
    }
  }, [creation.isRunning])
  const onInput = ({ isComposing }: InputEvent) => {
    typed.current = { title: title.current?.value ?? '', content: content.current?.value ?? '' }
    if (isComposing || (typed.current.title === newTitle.peek() && typed.current.content === '')) return
    if (made.current !== undefined) return goOn(made.current)
    unsent.value = { ...typed.current, whose: whose.peek() }
    void creation.run()
  }
  return { title, content, first, onInput, refusal: creation.refusal }
}

/** An empty sheet. */
export function NewNote() {
  const { title, content, first, onInput, refusal } = useNewNote()
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
            defaultValue={first.title}
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
            defaultValue={first.content}
            placeholder="Write here; nothing is kept of an empty note."
            onInput={onInput}
            onCompositionEnd={() => onInput({ isComposing: false } as InputEvent)}
          />
        </div>
      </article>
    </section>
  )
}
