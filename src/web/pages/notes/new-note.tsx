import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { usePartTitle } from '../../components/page-title.ts'
import { Tag } from '../../components/tag.tsx'
import { newIds } from '../../data/new-ids.ts'
import { findDocument, saveDocument, showDocument } from '../../offline/note-documents.ts'
import { createDocument } from '../../offline/open-document.ts'
import { navigate } from '../../router.ts'
import { BackToList } from './back-to-list.tsx'
import { DayBar, isDay } from './day/day-bar.tsx'
import { DueRows } from './day/due-rows.tsx'
import { DetailsToggle, ListToggle } from './room-buttons.tsx'
import { list, newTags, newText, newTitle, noteAddress } from './route.ts'
import { MAX_TITLE, oneLine } from './title.tsx'
import { bufferKeys, type Typing } from './typing.ts'

const UNTITLED = 'New note'
/**
 * The note is saved and opened after a pause in typing, so that continuous typing stays in one field. No half-typed title
 * is saved: lists of others and links would show it.
 */
const PAUSE_MS = { title: 1_000, content: 150 }

interface Typed {
  readonly title: string
  readonly content: string
}

/** Initial text from the address. It is not a note until the user types. */
const initialText = (): Typed => ({ title: newTitle.peek(), content: newText.peek() })

const textOf = ({ title, content }: Typed): Typed => ({
  title: oneLine(title).trim() === '' ? UNTITLED : oneLine(title),
  content,
})

/** The two fields of a new note. The note is created with the first character, so that no empty note is left. */
function useNewNote() {
  const title = useRef<HTMLTextAreaElement>(null)
  const content = useRef<HTMLTextAreaElement>(null)
  const [first] = useState(initialText)
  const typed = useRef(first)
  /** The id of the created note, until it is opened or the user navigates away. */
  const createdId = useRef<string | undefined>(undefined)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  const open = (id: string) => {
    const field = document.activeElement === content.current ? 'content' : 'title'
    const offset = (field === 'content' ? content : title).current?.selectionStart ?? 0
    createdId.current = undefined
    bufferKeys()
    navigate(noteAddress(id), { replace: true })
    history.replaceState({ typing: { field, offset } satisfies Typing }, '')
  }
  /** Saves the note, and opens it unless typing went on meanwhile. */
  const save = async (id: string) => {
    clearTimeout(pause.current)
    const saved = typed.current
    await saveDocument(id)
    // A failure to load the editor is shown by the note itself.
    await import('./editor/code-mirror.ts').catch(() => {})
    if (createdId.current === id && typed.current === saved) open(id)
  }
  const update = (id: string) => {
    findDocument(id)?.draft.edit(textOf(typed.current))
    clearTimeout(pause.current)
    const ms = document.activeElement === content.current ? PAUSE_MS.content : PAUSE_MS.title
    pause.current = setTimeout(() => void save(id), ms)
  }
  const saveNow = () => {
    if (createdId.current !== undefined) void save(createdId.current)
  }
  const create = () => {
    const current = list.peek()
    void import('./editor/code-mirror.ts').catch(() => {})
    const tags = current.kind === 'tag' ? [current.name, ...newTags.peek()] : newTags.peek()
    const [id = ''] = newIds(1)
    createDocument(id, textOf(typed.current), tags)
    createdId.current = id
    showDocument(id)
    update(id)
  }
  useEffect(
    () => () => {
      clearTimeout(pause.current)
      const id = createdId.current
      createdId.current = undefined
      if (id !== undefined) showDocument(id)()
    },
    [],
  )
  const onInput = ({ isComposing }: InputEvent) => {
    typed.current = { title: title.current?.value ?? '', content: content.current?.value ?? '' }
    const isUnchanged = typed.current.title === first.title && typed.current.content === first.content
    // A note that opens would interrupt the composition.
    if (isComposing) clearTimeout(pause.current)
    if (isComposing || (isUnchanged && createdId.current === undefined)) return
    if (createdId.current !== undefined) update(createdId.current)
    else create()
  }
  return { title, content, first, onInput, saveNow }
}

/** An empty note. */
export function NewNote() {
  const { title, content, first, onInput, saveNow } = useNewNote()
  usePartTitle(UNTITLED)
  // A layout effect, so that the first typed letter is not lost. A given title focuses the text.
  useLayoutEffect(() => (newTitle.peek() === '' ? title : content).current?.focus(), [title, content])
  return (
    <section class="pane content" id="note" aria-label="Note">
      <header class="bar">
        <BackToList />
        <ListToggle />
        <span class="status off">Not saved yet</span>
        <span class="grow" />
        <DetailsToggle />
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
            onBlur={saveNow}
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
            placeholder="Start writing. Empty notes are not saved."
            onInput={onInput}
            onCompositionEnd={() => onInput({ isComposing: false } as InputEvent)}
          />
        </div>
        {isDay(first.title) && <DueRows day={first.title} />}
      </article>
    </section>
  )
}
