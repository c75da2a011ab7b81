import { blockLines } from '../../lib/markdown-lines.ts'
import { api } from './api.ts'
import { useQuery } from './use-query.ts'

/** A checkbox item of a note. */
export interface NoteTask {
  readonly text: string
  readonly isDone: boolean
  /** The offset of the mark between the brackets. */
  readonly at: number
}

export interface TaskNote {
  readonly id: string
  readonly title: string
  readonly at: string
  readonly updatedAt: string
  readonly content: string
  readonly tasks: readonly NoteTask[]
}

const TASK = /^([>\s]*(?:[-*+]|\d{1,9}[.)])\s+\[)([ xX])\]\s+(\S.*)$/

/** The checkbox items of a text, in order; items in code are none. */
export function tasksIn(content: string): NoteTask[] {
  if (!content.includes('[')) return []
  const found: NoteTask[] = []
  for (const { text, start, block } of blockLines(content)) {
    const [, before = '', mark, words = ''] = (block.kind === 'text' && TASK.exec(text)) || []
    if (mark !== undefined) found.push({ text: words, isDone: mark !== ' ', at: start + before.length })
  }
  return found
}

const PAGE = 200
/** Older notes are not read. */
export const MAX_NOTES = 2_000

async function readTasks(signal: AbortSignal): Promise<{ notes: TaskNote[]; isComplete: boolean }> {
  const notes: TaskNote[] = []
  for (let offset = 0; offset < MAX_NOTES; offset += PAGE) {
    const page = await api.get('/v1/notes', {
      query: { limit: PAGE, offset, sort: 'edited_at', content: true },
      signal,
    })
    for (const { id, title, edited_at, updated_at, content = '' } of page.notes) {
      const tasks = tasksIn(content)
      if (tasks.length > 0)
        notes.push({ id, title, at: edited_at ?? updated_at, updatedAt: updated_at, content, tasks })
    }
    if (offset + PAGE >= page.total) return { notes, isComplete: true }
  }
  return { notes, isComplete: false }
}

/** The notes with checkbox items, last edited first. */
export const useNoteTasks = () => useQuery(['note', 'tasks'], ({ signal }) => readTasks(signal))

/** Ticks or unticks a task, unless its note was changed meanwhile. */
export async function setTask(note: TaskNote, { at, isDone }: NoteTask): Promise<void> {
  const content = `${note.content.slice(0, at)}${isDone ? ' ' : 'x'}${note.content.slice(at + 1)}`
  const body = { content, if_unchanged: note.updatedAt }
  await api.patch('/v1/notes/{id}', { params: { id: note.id }, body })
}
