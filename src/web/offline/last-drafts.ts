import type { Draft } from '../data/note-text.ts'
import type { Owner } from '../data/pending-cells.ts'

/*
 * Drafts of the last moment of a page. When a page is closed, browsers drop IndexedDB writes that have not started. Such
 * drafts are written synchronously to the local storage, and the next page moves them into the queue.
 */

const PREFIX = 'daybook-left '

/** The drafts with a pending write, by name. */
const unwritten = new Map<string, Draft>()

/** Registers a draft until its write has finished. */
export async function untilWritten(name: string, draft: Draft, writing: Promise<void>): Promise<void> {
  unwritten.set(name, draft)
  await writing
  if (unwritten.get(name) === draft) forget(name)
}

/** Removes the draft with this name. */
export function forget(name: string): void {
  unwritten.delete(name)
  localStorage.removeItem(PREFIX + name)
}

addEventListener('pagehide', () => {
  for (const [name, draft] of unwritten)
    try {
      localStorage.setItem(PREFIX + name, JSON.stringify(draft))
    } catch {
      // A draft that is too long for the local storage keeps its last written state.
    }
})

/** The last drafts of a user in a workspace. */
export function listLast({ user, workspace }: Owner): Draft[] {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(`${PREFIX}${user} ${workspace} `))
  return names.map((name) => JSON.parse(localStorage.getItem(name) ?? ''))
}
