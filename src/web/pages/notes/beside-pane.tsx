import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { Loading, QueryError } from '../../components/pane.tsx'
import { mayWriteNotes } from '../../data/session.ts'
import { closeBeside, isJustOpened } from './beside.ts'
import { NoteSheet, SaveLine, useOpenDocument } from './note-pane.tsx'
import { PeopleHere } from './people-here.tsx'
import { noteAddress } from './route.ts'

/** A second note beside the first one, for reading and writing. */
export function BesidePane({ id }: { id: string }) {
  const { open, error } = useOpenDocument(id, 'beside')
  const pane = useRef<HTMLElement>(null)
  const closeButton = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (isJustOpened(id)) pane.current?.focus({ preventScroll: true })
  }, [id])
  /** In the text, Escape leads out of it first: there, Tab indents. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    const isInText = event.target instanceof Element && event.target.closest('.cm-editor') !== null
    if (isInText) closeButton.current?.focus()
    else closeBeside()
  }
  return (
    <section
      class="pane beside"
      id="beside"
      aria-label="Second note"
      tabIndex={-1}
      ref={pane}
      onKeyDown={onKeyDown}
    >
      <header class="bar">
        {open && mayWriteNotes.value && <SaveLine draft={open.draft} />}
        <span class="grow" />
        <PeopleHere id={id} />
        <a class="button quiet" href={noteAddress(id, { beside: undefined })}>
          Open alone
        </a>
        <button
          type="button"
          class="button quiet icon-only"
          aria-label="Close second note"
          title="Close second note (Esc)"
          ref={closeButton}
          onClick={closeBeside}
        >
          <Icon name="x" />
        </button>
      </header>
      {open ? (
        <NoteSheet id={id} draft={open.draft} error={error} isReading={!mayWriteNotes.value} isBeside />
      ) : error ? (
        <QueryError error={error} />
      ) : (
        <Loading />
      )}
    </section>
  )
}
