import { signal } from '@preact/signals'

/** The number of notes and cells with unsaved edits in this tab. */
export const pendingCount = signal(0)

/** The number of unread comments, which the icon of the installed application shows with the pending changes. */
export const unreadCount = signal(0)

/** Functions that save pending edits immediately. Each resolves when they are saved or cannot be saved now. */
export const savers = new Set<() => Promise<unknown>>()

/** Functions that discard unsaved edits in memory, except one user's, so that the next user cannot see them. */
export const discarders = new Set<(except?: string) => void>()

interface Notice {
  readonly sentence: string
  /** The address of a screen with details. */
  readonly address?: string | undefined
}

/** Notices shown on every screen, by subject. */
export const notices = signal<ReadonlyMap<string, Notice>>(new Map())

/** Sets or (with undefined) removes the notice about a subject. */
export function setNotice(subject: string, sentence: string | undefined, address?: string): void {
  if (notices.peek().get(subject)?.sentence === sentence) return
  const next = new Map(notices.peek())
  if (sentence === undefined) next.delete(subject)
  else next.set(subject, { sentence, address })
  notices.value = next
}

/** Each returns whether closing the page would lose work in progress; the browser then asks for confirmation. */
export const unfinished = new Set<() => boolean>()

addEventListener('beforeunload', (event) => {
  if ([...unfinished].some((isUnfinished) => isUnfinished())) event.preventDefault()
})

/** The maximum time to wait for the server. */
const PATIENCE_MS = 3_000

/** Saves pending edits before the session changes, because the user may not return to this browser. */
export async function savePending(): Promise<void> {
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
  await Promise.race([Promise.all([...savers].map((save) => save())), patience])
}
