import { StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'
import { clockTime, shortTime } from '../../../components/time.tsx'
import { api } from '../../../data/api.ts'
import { type LineTimes, lineTimes, passageTimes, timesAfter } from '../../../data/line-times.ts'
import { localDay } from '../../../data/local-time.ts'
import { readRevisions } from '../../../data/note-revisions.ts'
import type { NoteEditor } from './code-mirror.ts'

/*
 * The margin of a daily note shows when each passage was last changed. The times of earlier edits come from the versions
 * of the note, which the server keeps for 7 days; those of edits on this screen are recorded as they are made.
 */

const MAX_LINES = 2_000
/** The total length of the loaded texts, and the most versions. */
const MAX_LOADED = 1_000_000
const MAX_VERSIONS = 200
const KEPT_MS = 7 * 24 * 3_600_000

const linesOf = (doc: Text): string[] => [...doc.iterLines()]

/** The times of the lines of a note's saved text. */
async function savedTimes(id: string, signal: AbortSignal) {
  const { note } = await api.get('/v1/notes/{id}', { params: { id }, signal })
  const limit = Math.floor(MAX_LOADED / (note.content.length + 1))
  const newestFirst = await readRevisions(id, Math.min(MAX_VERSIONS, Math.max(1, limit)), signal)
  const created = Date.parse(note.created_at)
  const isWhole = newestFirst.length < limit && newestFirst.length < MAX_VERSIONS
  let at = isWhole && Date.now() - created < KEPT_MS ? created : undefined
  const versions = newestFirst.toReversed().map(({ content, created_at }) => {
    const version = { lines: content.split(/\r?\n/), at }
    // A revision holds the text that the edit replaced.
    at = Date.parse(created_at)
    return version
  })
  const lines = note.content.split(/\r?\n/)
  return { lines, times: lineTimes([...versions, { lines, at }]) }
}

/** Of an edit on another day than that of the note, the day is shown. */
const labelOf = (at: number, day: string): string =>
  localDay(new Date(at)) === day ? clockTime(new Date(at)) : shortTime(new Date(at))

const setTimes = StateEffect.define<LineTimes>()

const timesField = StateField.define<LineTimes>({
  create: () => [],
  update: (times, { docChanged, effects, startState, newDoc }) => {
    const loaded = effects.find((effect) => effect.is(setTimes))
    if (loaded) return loaded.value
    return docChanged && newDoc.lines <= MAX_LINES
      ? timesAfter(times, linesOf(startState.doc), linesOf(newDoc), Date.now())
      : times
  },
})

function marksOf(doc: Text, times: LineTimes, day: string): DecorationSet {
  if (doc.lines > MAX_LINES) return Decoration.none
  const marks = passageTimes(doc.iterLines(), times).map(({ line, at }) =>
    Decoration.line({ class: 'hour-line', attributes: { 'data-hour': labelOf(at, day) } }).range(
      doc.line(line + 1).from,
    ),
  )
  return Decoration.set(marks, true)
}

/** Shows the hours in the margin of the note of a day until the returned function is called. */
export function showHours({ view, extend }: NoteEditor, id: string, day: string): () => void {
  const stop = new AbortController()
  const marks = EditorView.decorations.compute([timesField], (state) =>
    marksOf(state.doc, state.field(timesField), day),
  )
  extend([timesField, marks])
  savedTimes(id, stop.signal).then(
    ({ lines, times }) => {
      if (stop.signal.aborted) return
      const { doc } = view.state
      // Edits that are not saved yet were made just now.
      view.dispatch({ effects: setTimes.of(timesAfter(times, lines, linesOf(doc), Date.now())) })
    },
    // Without the earlier versions, the hours of new edits are shown.
    () => undefined,
  )
  return () => stop.abort()
}
