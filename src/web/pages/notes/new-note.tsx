import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { usePartTitle } from '../../components/page-title.ts'
import { Tag } from '../../components/tag.tsx'
import { newIds } from '../../data/new-ids.ts'
import { createDocument, findDocument, saveDocument, showDocument } from '../../data/note-documents.ts'
import { navigate } from '../../router.ts'
import { BackToList } from './back-to-list.tsx'
import { DayBar, isDay } from './day/day-bar.tsx'
import { DueRows } from './day/due-rows.tsx'
import { list, newTags, newText, newTitle, noteAddress } from './place.ts'
import { MAX_TITLE, oneLine } from './title.tsx'
import { holdKeys, type Typing } from './typing.ts'

const UNTITLED = 'New note'
/** Who types on without a pause types into the same field. */
const PAUSE_MS = 150

interface Typed {
  readonly title: string
  readonly content: string
}

/** What the address gives, which is no note before something is written into it. */
const firstText = (): Typed => ({ title: newTitle.peek(), content: newText.peek() })

const textOf = ({ title, content }: Typed): Typed => ({
  title: oneLine(title).trim() === '' ? UNTITLED : oneLine(title),
  content,
})

/** What is typed into these two fields; the note is made with the first character, so that none is left empty. */
function useNewNote() {
  const title = useRef<HTMLTextAreaElement>(null)
  const content = useRef<HTMLTextAreaElement>(null)
  const [first] = useState(firstText)
  const typed = useRef(first)
  /** The note, until the person is in it or somewhere else. */
  const made = useRef<string | undefined>(undefined)
  /** Whether the note can be opened: it is saved, or waits here. */
  const isReady = useRef(false)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
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
    if (isReady.current) pause.current = setTimeout(() => open(id), PAUSE_MS)
  }
  const make = async () => {
    const shown = list.peek()
    const editor = import('./editor/code-mirror.ts')
    const tags = shown.kind === 'tag' ? [shown.name, ...newTags.peek()] : newTags.peek()
    const [id = ''] = newIds(1)
    createDocument(id, textOf(typed.current), tags)
    made.current = id
    showDocument(id)
    await saveDocument(id)
    // Without its code the note says itself that it was not loaded.
    await editor.catch(() => {})
    isReady.current = true
    if (made.current === id) goOn(id)
  }
  useEffect(
    () => () => {
      clearTimeout(pause.current)
      const left = made.current
      made.current = undefined
      if (left !== undefined) showDocument(left)()
    },
    [],
  )
  const onInput = ({ isComposing }: InputEvent) => {
    typed.current = { title: title.current?.value ?? '', content: content.current?.value ?? '' }
    const isAsGiven = typed.current.title === first.title && typed.current.content === first.content
    if (isComposing || (isAsGiven && made.current === undefined)) return
    if (made.current !== undefined) goOn(made.current)
    else void make()
  }
  return { title, content, first, onInput }
}

/** An empty sheet. */
export function NewNote() {
  const { title, content, first, onInput } = useNewNote()
  usePartTitle(UNTITLED)
  // The focus comes with the field, before it is painted, so that the first letter typed is not lost.
  // A title that is given is no text yet: the note is made with what is written into it.
  useLayoutEffect(() => (newTitle.peek() === '' ? title : content).current?.focus(), [title, content])
  return (
    <section class="pane content new-note" id="note" aria-label="Note">
      <header class="bar">
        <BackToList />
      </header>
      {isDay(first.title) && (
        <div class="tools wraps">
          <DayBar day={first.title} />
        </div>
      )}
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
        {newTags.value.length > 0 && (
          <ul class="plain tags" aria-label="Tags">
            {newTags.value.map((name) => (
              <li key={name}>
                <Tag name={name} />
              </li>
            ))}
          </ul>
        )}
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
        {isDay(first.title) && <DueRows day={first.title} />}
      </article>
    </section>
  )
}
