import { blockLines } from '../../lib/markdown-lines.ts'
import { api } from './api.ts'
import { readVersion, saveNote } from './saved-notes.ts'

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
  /** Undefined if the text is not available offline. */
  readonly tasks: readonly NoteTask[] | undefined
}

export interface NoteTasks {
  /** Also those without tasks, last edited first. */
  readonly notes: readonly TaskNote[]
  readonly isComplete: boolean
}

const TASK = /^([>\s]*(?:[-*+]|\d{1,9}[.)])\s+\[)([ xX])\]\s+(\S.*)$/

/** The checkbox items of a text, in order; items in code and in comments are none. */
export function tasksIn(content: string): NoteTask[] {
  if (!content.includes('[')) return []
  const found: NoteTask[] = []
  for (const { text, start, block } of blockLines(content)) {
    const isItem = block.kind === 'text' && block.beginsItem && block.commentEnd === undefined
    const [, before = '', mark, words = ''] = (isItem && TASK.exec(text)) || []
    if (mark !== undefined) found.push({ text: words, isDone: mark !== ' ', at: start + before.length })
  }
  return found
}

const PAGE = 200
/** Older notes are not read. */
export const MAX_NOTES = 2_000

/** Reads the tasks of all notes. The texts of pages on which every note is known are not read again. */
export async function readTasks(known: readonly TaskNote[], signal?: AbortSignal): Promise<NoteTasks> {
  const versions = new Map(
    known.filter(({ tasks }) => tasks).map((note) => [`${note.id} ${note.updatedAt}`, note]),
  )
  const notes = new Map<string, TaskNote>()
  for (let offset = 0; offset < MAX_NOTES; ) {
    const read = (content: boolean) =>
      api.get('/v1/notes', {
        query: { limit: PAGE, offset, sort: 'edited_at', content },
        ...(signal && { signal }),
      })
    const heads = versions.size > 0 ? await read(false) : undefined
    const isKnown = heads?.notes.every(({ id, updated_at }) => versions.has(`${id} ${updated_at}`))
    const page = heads && isKnown ? heads : await read(true)
    for (const { id, title, edited_at, updated_at, content } of page.notes)
      notes.set(id, {
        id,
        title,
        at: edited_at ?? updated_at,
        updatedAt: updated_at,
        tasks: content === undefined ? versions.get(`${id} ${updated_at}`)?.tasks : tasksIn(content),
      })
    // Long texts end a page early.
    offset += page.notes.length
    if (!page.has_more) return { notes: [...notes.values()], isComplete: true }
  }
  return { notes: [...notes.values()], isComplete: false }
}

/** The text with the task ticked or unticked. */
export function withTicked(content: string, { at, text, isDone }: NoteTask): string {
  const isSame = tasksIn(content).some(
    (task) => task.at === at && task.text === text && task.isDone === isDone,
  )
  if (!isSame) throw new Error('The note has changed. Select the task again in the updated list.')
  return `${content.slice(0, at)}${isDone ? ' ' : 'x'}${content.slice(at + 1)}`
}

/** Ticks or unticks a task in the saved version of its note. */
export async function setTask({ id }: TaskNote, task: NoteTask): Promise<void> {
  const { content, updated_at } = await readVersion(id)
  await saveNote(id, { content: withTicked(content, task) }, updated_at, [])
}

/** The text of a task without links and emphasis. */
export const plainText = (text: string): string =>
  text
    .replace(/!?\[\[(?:[^[\]|]*\|)?([^[\]|]+)\]\]/g, '$1')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/(\*\*|__|~~|==|`)(\S.*?)\1/g, '$2')
    .trim() || text
