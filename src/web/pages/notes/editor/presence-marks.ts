import { StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'
import { computed } from '@preact/signals'
import { hueOfTag } from '../../../components/tag.tsx'
import { initialOf, type PersonHere, peopleIn, presenceReporter } from '../../../data/presence.ts'
import type { NoteEditor } from './code-mirror.ts'

/* The initials of the others in a note stand in the margin, beside the lines in which they wrote last. */

const setPeople = StateEffect.define<readonly PersonHere[]>()

function initialsIn(text: Text, people: readonly PersonHere[]): DecorationSet {
  const marks = people.flatMap(({ name, line }) => {
    if (line === null || line > text.lines) return []
    const attributes = { 'data-initial': initialOf(name) }
    const mark = Decoration.line({ class: `here-line ${hueOfTag(name)}`, attributes })
    return [mark.range(text.line(line).from)]
  })
  return Decoration.set(marks, true)
}

const initials = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (current, { effects, changes, newDoc }) => {
    const changed = effects.find((one) => one.is(setPeople))
    return changed ? initialsIn(newDoc, changed.value) : current.map(changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** Shows the others in the margin, and tells them where the user writes, until the returned function is called. */
export function showPresence({ view, extend }: NoteEditor, note: string): () => void {
  const report = presenceReporter(note)
  const onWriting = EditorView.updateListener.of(({ docChanged, transactions, state }) => {
    const isWritten = transactions.some((one) => one.isUserEvent('input') || one.isUserEvent('delete'))
    if (docChanged && isWritten) report(state.doc.lineAt(state.selection.main.head).number)
  })
  extend([initials, onWriting])
  // Computed, so that the people in the note of the other pane cause no transaction here.
  return computed(() => peopleIn(note)).subscribe((people) =>
    view.dispatch({ effects: setPeople.of(people) }),
  )
}
