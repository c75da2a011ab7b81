import { useState } from 'preact/hooks'
import { Check } from '../../components/check.tsx'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { usePartTitle } from '../../components/page-title.ts'
import { Empty, QueryResult } from '../../components/pane.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { cache, invalidate } from '../../data/cache.ts'
import { counted, formatNumber } from '../../data/formats.ts'
import {
  MAX_NOTES,
  type NoteTask,
  type NoteTasks,
  plainText,
  readTasks,
  setTask,
  type TaskNote,
  tasksIn,
  withTicked,
} from '../../data/note-tasks.ts'
import { Unreachable, unreachableSince } from '../../data/request.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { useQuery } from '../../data/use-query.ts'
import { draftsLoaded, findDocument } from '../../offline/note-documents.ts'
import { openDocument } from '../../offline/open-document.ts'
import { BackToList } from './back-to-list.tsx'
import { ListToggle } from './room-buttons.tsx'
import { noteAddress } from './route.ts'

const KEY = ['note', 'tasks'] as const

/** Tasks that are shown at first, and added each time. */
const STEP = 500

/** The tasks of a note, with ticks that are not saved yet. */
function tasksOf(note: TaskNote): readonly NoteTask[] {
  const unsaved = findDocument(note.id)?.draft.text.value.content
  return unsaved === undefined ? (note.tasks ?? []) : tasksIn(unsaved)
}

/** Ticks a task in the draft of its note, which is saved as soon as the server can be reached. */
async function tickInDraft({ id }: TaskNote, task: NoteTask): Promise<void> {
  await draftsLoaded()
  if (!findDocument(id)) openDocument(id, (await api.get('/v1/notes/{id}', { params: { id } })).note)
  const draft = findDocument(id)?.draft
  draft?.edit({ content: withTicked(draft.text.peek().content, task) })
}

async function tickTask(note: TaskNote, task: NoteTask): Promise<void> {
  if (unreachableSince.peek() !== undefined || findDocument(note.id)) return tickInDraft(note, task)
  const reload = () => invalidate(new Set(['note']))
  try {
    await setTask(note, task)
  } catch (error) {
    if (error instanceof Unreachable) return tickInDraft(note, task)
    void reload()
    throw error
  }
  await reload()
}

/** The open tasks of all notes in one list, last edited note first. */
export function Tasks() {
  usePartTitle('Tasks')
  const query = useQuery(KEY, ({ signal }) =>
    readTasks(cache.getQueryData<NoteTasks>(KEY)?.notes ?? [], signal),
  )
  const [areDoneShown, setDoneShown] = useState(false)
  const [most, setMost] = useState(STEP)
  const tick = useAction(tickTask)
  return (
    <section class="pane content" id="note" aria-label="Tasks">
      <header class="bar">
        <BackToList />
        <ListToggle />
        <h2>Tasks</h2>
        <span class="grow" />
        <Check label="Show completed" checked={areDoneShown} onChange={setDoneShown} />
      </header>
      {tick.refusal.value !== undefined && <ErrorText>{tick.refusal.value}</ErrorText>}
      <QueryResult query={query}>
        {({ notes, isComplete }) => {
          const matching = notes.flatMap((note) =>
            tasksOf(note)
              .filter(({ isDone }) => areDoneShown || !isDone)
              .map((task) => ({ note, task })),
          )
          const shown = Map.groupBy(matching.slice(0, most), ({ note }) => note)
          const open = matching.filter(({ task }) => !task.isDone).length
          const unread = notes.filter(({ tasks }) => tasks === undefined).length
          return (
            <>
              <p class="list-end" role="status">
                {counted(open, 'open task')}
                {!isComplete && ` in the last ${formatNumber(MAX_NOTES)} edited notes`}
                {unread > 0 && `, without ${counted(unread, 'note')} that cannot be read offline`}
              </p>
              {matching.length === 0 && (
                <Empty>Lines that begin with “- [ ]” in your notes appear here.</Empty>
              )}
              <ol class="ledger">
                {[...shown].map(([note, tasks]) => (
                  <li key={note.id}>
                    <Time at={note.at} />
                    <div class="item">
                      <a class="item-title" href={noteAddress(note.id)} dir="auto">
                        {note.title}
                      </a>
                      <ul class="plain tasks">
                        {tasks.map(({ task }) => (
                          <li key={task.at}>
                            <label class={task.isDone ? 'check done' : 'check'} dir="auto">
                              <input
                                type="checkbox"
                                checked={task.isDone}
                                disabled={!mayWriteNotes.value || tick.isRunning.value}
                                onChange={({ currentTarget }) =>
                                  keepingFocus(currentTarget, tick.run(note, task))
                                }
                              />
                              {plainText(task.text)}
                            </label>
                          </li>
                        ))}
                      </ul>
                    </div>
                  </li>
                ))}
              </ol>
              {matching.length > most && (
                <p class="list-end">
                  <Button kind="quiet" onClick={() => setMost(most + STEP)}>
                    Show more
                  </Button>
                </p>
              )}
            </>
          )
        }}
      </QueryResult>
    </section>
  )
}

/** Moves the focus to the next task if a ticked one leaves the list. */
async function keepingFocus(box: HTMLInputElement, ticking: Promise<unknown>): Promise<void> {
  const boxes = () => [...document.querySelectorAll<HTMLInputElement>('.tasks input')]
  const index = boxes().indexOf(box)
  await ticking
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) (boxes()[index] ?? boxes().at(-1))?.focus()
  })
}
