import { Prec, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  showTooltip,
  type Tooltip,
} from '@codemirror/view'
import { findPassage, passageAt } from '../../../../lib/passage.ts'
import { cache } from '../../../data/cache.ts'
import { type Comment, openedThread, selectedPassage } from '../../../data/comments.ts'
import { mayWriteNotes } from '../../../data/session.ts'
import { setParameters } from '../../../router.ts'
import type { NoteEditor } from './code-mirror.ts'

/*
 * The passages of open threads are marked in the text. A click on a mark opens its thread; "Comment" beside a selection,
 * or Ctrl Alt M, begins one.
 */

const setThreads = StateEffect.define<readonly Comment[]>()

function marksIn(view: { readonly doc: { toString(): string } }, threads: readonly Comment[]): DecorationSet {
  const text = view.doc.toString()
  const lines = (part: string) => part.replaceAll('\r\n', '\n')
  const marks = threads.flatMap(({ id, passage }) => {
    if (!passage) return []
    const [quote, before, after] = [passage.text, passage.before, passage.after].map(lines)
    const range = findPassage(text, { text: quote ?? '', before: before ?? '', after: after ?? '' })
    const mark = Decoration.mark({ class: 'commented', attributes: { 'data-thread': id } })
    return range ? [mark.range(range.from, range.to)] : []
  })
  return Decoration.set(marks, true)
}

const marksOf = (threads: () => readonly Comment[]) =>
  StateField.define<DecorationSet>({
    create: (state) => marksIn(state, threads()),
    update: (current, { effects, changes, state }) => {
      const changed = effects.find((one) => one.is(setThreads))
      return changed ? marksIn(state, changed.value) : current.map(changes)
    },
    provide: (field) => EditorView.decorations.from(field),
  })

/** Shows the comments where the screen has room for only one pane. */
function showComments(): void {
  if (!document.querySelector('.comments')?.checkVisibility()) setParameters({ pane: 'details' })
}

function commentOn(view: EditorView, note: string): boolean {
  const { from, to, empty } = view.state.selection.main
  if (empty || !mayWriteNotes.peek()) return false
  const text = view.state.sliceDoc()
  // Offsets of the document count every line break as one character.
  const at = view.state.sliceDoc(0, from).length
  selectedPassage.value = { note, passage: passageAt(text, at, view.state.sliceDoc(from, to).length) }
  showComments()
  return true
}

const MAX_PASSAGE = 1_000

function tooltipOf(note: string, from: number, to: number): Tooltip | null {
  if (from === to || to - from > MAX_PASSAGE) return null
  return {
    pos: to,
    above: false,
    create: (view) => {
      const dom = document.createElement('div')
      const button = document.createElement('button')
      button.type = 'button'
      button.className = 'button quiet'
      button.textContent = 'Comment'
      button.title = 'Ctrl Alt M'
      button.addEventListener('pointerdown', (event) => event.preventDefault())
      button.addEventListener('click', () => commentOn(view, note))
      dom.append(button)
      return { dom }
    },
  }
}

const selectionTooltip = (note: string) =>
  StateField.define<Tooltip | null>({
    create: () => null,
    update: (current, { selection, docChanged, state }) => {
      if (!selection && !docChanged) return current
      const { from, to } = state.selection.main
      return mayWriteNotes.peek() ? tooltipOf(note, from, to) : null
    },
    provide: (field) => showTooltip.from(field),
  })

const openOnClick = EditorView.domEventHandlers({
  click: ({ target }) => {
    const mark = target instanceof Element ? target.closest<HTMLElement>('[data-thread]') : null
    if (!mark) return false
    openedThread.value = mark.dataset.thread
    showComments()
    return false
  },
})

const theme = EditorView.theme({
  '.commented': {
    background: 'var(--warn-wash)',
    borderBottom: '2px solid var(--warn)',
    cursor: 'pointer',
  },
})

/** Marks the passages of a note's open threads in its editor until the returned function is called. */
export function markComments({ view, extend }: NoteEditor, note: string): () => void {
  const keys = keymap.of([{ key: 'Mod-Alt-m', run: (of) => commentOn(of, note) }])
  let open: readonly Comment[] = []
  extend([marksOf(() => open), selectionTooltip(note), openOnClick, theme, Prec.high(keys)])
  const key = JSON.stringify(['comment', 'of', { note_id: note }])
  let known: unknown
  const show = () => {
    const comments = cache.getQueryData<readonly Comment[]>(JSON.parse(key))
    if (comments === undefined || comments === known) return
    known = comments
    open = comments.filter(({ passage, resolved_at }) => passage !== null && resolved_at === null)
    view.dispatch({ effects: setThreads.of(open) })
  }
  const stop = cache.getQueryCache().subscribe(({ query }) => {
    if (JSON.stringify(query.queryKey) === key) queueMicrotask(show)
  })
  show()
  return () => {
    stop()
    if (selectedPassage.peek()?.note === note) selectedPassage.value = undefined
  }
}
