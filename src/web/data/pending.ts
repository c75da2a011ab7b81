import { signal } from '@preact/signals'

/** How many notes and cells of this tab hold something that is not saved. */
export const pendingCount = signal(0)

/** Save at once what waits; each resolves when it is saved, or cannot be saved now. */
export const savers = new Set<() => Promise<unknown>>()

/** Give up what waits in memory, but for that of one person: who signs in after another is not to find it. */
export const discarders = new Set<(except?: string) => void>()

/** Keep again what waits in memory, when the browser has cleared what it kept. */
export const keepers = new Set<() => unknown>()

interface Notice {
  readonly sentence: string
  /** Where more is to be seen, if there is more. */
  readonly address?: string | undefined
}

/** What is to be said on every screen about what this browser keeps, by what it is about. */
export const notices = signal<ReadonlyMap<string, Notice>>(new Map())

/** Says something about a subject until it is said otherwise, or nothing any more. */
export function setNotice(subject: string, sentence: string | undefined, address?: string): void {
  if (notices.peek().get(subject)?.sentence === sentence) return
  const next = new Map(notices.peek())
  if (sentence === undefined) next.delete(subject)
  else next.set(subject, { sentence, address })
  notices.value = next
}

/** Each says whether something that is under way would be lost with the page; the browser then asks before it closes it. */
export const unfinished = new Set<() => boolean>()

addEventListener('beforeunload', (event) => {
  if ([...unfinished].some((isUnfinished) => isUnfinished())) event.preventDefault()
})

/** A server that does not answer is not waited for longer. */
const PATIENCE_MS = 3_000

/** Saves what waits, before the session is another one: who leaves may not come back to this browser. */
export async function saveWhatWaits(): Promise<void> {
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
  await Promise.race([Promise.all([...savers].map((save) => save())), patience])
}
