import { useState } from 'preact/hooks'
import { ErrorText, useAction } from '../../components/form.tsx'
import { usePartTitle } from '../../components/page-title.ts'
import { Empty, QueryResult } from '../../components/pane.tsx'
import { Time } from '../../components/time.tsx'
import { invalidate } from '../../data/cache.ts'
import { counted, formatNumber } from '../../data/formats.ts'
import { MAX_NOTES, type NoteTask, setTask, type TaskNote, useNoteTasks } from '../../data/note-tasks.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { BackToList } from './back-to-list.tsx'
import { ListToggle } from './room-buttons.tsx'
import { noteAddress } from './route.ts'

/** The open tasks of all notes in one list, last edited note first. */
export function Tasks() {
  usePartTitle('Tasks')
  const query = useNoteTasks()
  const [areDoneShown, setDoneShown] = useState(false)
  const tick = useAction(async (note: TaskNote, task: NoteTask) => {
    await setTask(note, task)
    await invalidate(new Set(['note']))
  })
  return (
    <section class="pane content" id="note" aria-label="Tasks">
      <header class="bar">
        <BackToList />
        <ListToggle />
        <h2>Tasks</h2>
        <span class="grow" />
        <label class="check">
          <input
            type="checkbox"
            checked={areDoneShown}
            onChange={({ currentTarget }) => setDoneShown(currentTarget.checked)}
          />
          Show completed
        </label>
      </header>
      {tick.refusal.value !== undefined && <ErrorText>{tick.refusal.value}</ErrorText>}
      <QueryResult query={query}>
        {({ notes, isComplete }) => {
          const shown = notes
            .map((note) => ({ note, tasks: note.tasks.filter(({ isDone }) => areDoneShown || !isDone) }))
            .filter(({ tasks }) => tasks.length > 0)
          const open = notes.flatMap(({ tasks }) => tasks).filter(({ isDone }) => !isDone).length
          return (
            <>
              <p class="list-end" role="status">
                {counted(open, 'open task')}
                {!isComplete && ` in the last ${formatNumber(MAX_NOTES)} edited notes`}
              </p>
              {shown.length === 0 && <Empty>Lines that begin with “- [ ]” in your notes appear here.</Empty>}
              <ol class="ledger">
                {shown.map(({ note, tasks }) => (
                  <li key={note.id}>
                    <Time at={note.at} />
                    <div class="item">
                      <a class="item-title" href={noteAddress(note.id)} dir="auto">
                        {note.title}
                      </a>
                      <ul class="plain tasks">
                        {tasks.map((task) => (
                          <li key={task.at}>
                            <label class={task.isDone ? 'check done' : 'check'} dir="auto">
                              <input
                                type="checkbox"
                                checked={task.isDone}
                                disabled={!mayWriteNotes.value || tick.isRunning.value}
                                onChange={() => void tick.run(note, task)}
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
            </>
          )
        }}
      </QueryResult>
    </section>
  )
}

/** A line without its links and emphasis. */
const plainText = (text: string): string =>
  text
    .replace(/!?\[\[(?:[^\]|]*\|)?([^\]|]+)\]\]/g, '$1')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__|~~|==|`)(\S.*?)\1/g, '$2')
