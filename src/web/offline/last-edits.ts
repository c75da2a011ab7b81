import type { NoteEdit, NoteText, NoteVersion } from '../data/note-text.ts'
import type { EntryKey, Owner } from '../data/pending-cells.ts'

/*
 * Edits of the last moment of a page. When a page is closed, browsers drop IndexedDB writes that have not started. Such
 * edits are written synchronously to the local storage, and the next page moves them into the outbox.
 */

const PREFIX = 'daybook-left '

export interface LastEdit {
  readonly key: EntryKey
  readonly edit: NoteEdit
}

/** The form of an earlier version. */
interface EarlierEdit extends Omit<NoteEdit, 'seen' | 'count'> {
  readonly user: string
  readonly workspace: string
  readonly note: string
  readonly tab: string
  readonly base: NoteVersion
  readonly text: NoteText
}

/** The edits with a pending write, by name. */
const unwritten = new Map<string, LastEdit>()

/** Registers an edit until its write has finished. */
export async function untilWritten(name: string, edit: LastEdit, writing: Promise<void>): Promise<void> {
  unwritten.set(name, edit)
  await writing
  forget(name, edit)
}

/** The edit with this name whose write has not finished. */
export const unwrittenEdit = (name: string): LastEdit | undefined => unwritten.get(name)

/** Removes the edit with this name, unless a later one has replaced `edit`. */
export function forget(name: string, edit: LastEdit | undefined): void {
  if (unwritten.get(name) !== edit) return
  unwritten.delete(name)
  localStorage.removeItem(PREFIX + name)
}

addEventListener('pagehide', () => {
  for (const [name, edit] of unwritten)
    try {
      localStorage.setItem(PREFIX + name, JSON.stringify(edit))
    } catch {
      // An edit that is too long for the local storage keeps its last written state.
    }
})

/** The last edits of a user in a workspace. */
export function listLast({ user, workspace }: Owner): LastEdit[] {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(`${PREFIX}${user} ${workspace} `))
  return names.map((name) => currentForm(JSON.parse(localStorage.getItem(name) ?? '')))
}

function currentForm(found: LastEdit | EarlierEdit): LastEdit {
  if ('key' in found) return found
  const { user, workspace, note, tab, base, text, sent, at, tags } = found
  const seen = { title: base.title, content: base.content }
  return {
    key: { user, workspace, name: `note ${note}`, tab },
    edit: { base, text, sent, at, ...(tags && { tags }), seen, count: 0 },
  }
}
