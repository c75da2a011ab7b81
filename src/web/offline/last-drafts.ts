import type { Draft } from '../data/note-text.ts'

/*
 * What was typed in the last moment of a page. A browser gives up what IndexedDB has not begun to write when the page is
 * left; such drafts are put into the local storage, which is written at once, and from there into the queue by the next page.
 */

const PREFIX = 'daybook-left '

/** The drafts that are being written, by name. */
const unwritten = new Map<string, Draft>()

/** Holds a draft while it is written. */
export async function untilWritten(name: string, draft: Draft, writing: Promise<void>): Promise<void> {
  unwritten.set(name, draft)
  await writing
  if (unwritten.get(name) === draft) forget(name)
}

/** There is nothing more to be kept under this name. */
export function forget(name: string): void {
  unwritten.delete(name)
  localStorage.removeItem(PREFIX + name)
}

addEventListener('pagehide', () => {
  for (const [name, draft] of unwritten)
    try {
      localStorage.setItem(PREFIX + name, JSON.stringify(draft))
    } catch {
      // One that is too long for it is as it was written last.
    }
})

/** The drafts that pages of a person in a workspace were left with. */
export function listLast(user: string, workspace: string): Draft[] {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(`${PREFIX}${user} ${workspace} `))
  return names.map((name) => JSON.parse(localStorage.getItem(name) ?? ''))
}
