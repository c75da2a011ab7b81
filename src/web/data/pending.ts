import { computed, signal } from '@preact/signals'

/** The unsaved changes of one subject: a note, the cells of a table, or the actions of the outbox. */
export interface Pending {
  readonly count: number
  /** Why the user must act before they can be saved, as a sentence. Every screen shows it. */
  readonly problem?: string | undefined
  /** The address of a screen with details. */
  readonly address?: string | undefined
}

/** All unsaved changes that this tab knows of, by subject. */
export const pending = signal<ReadonlyMap<string, Pending>>(new Map())

const isEqual = (one: Pending | undefined, other: Pending | undefined): boolean =>
  one?.count === other?.count && one?.problem === other?.problem && one?.address === other?.address

/** Sets the unsaved changes of a subject. Undefined and a count of 0 remove it. */
export function setPending(subject: string, changes: Pending | undefined): void {
  const next = changes?.count === 0 ? undefined : changes
  if (isEqual(pending.peek().get(subject), next)) return
  const all = new Map(pending.peek())
  if (next) all.set(subject, next)
  else all.delete(subject)
  pending.value = all
}

/** The number of unsaved notes, cells and actions. */
export const pendingCount = computed(() =>
  [...pending.value.values()].reduce((sum, { count }) => sum + count, 0),
)

/** The number of unread comments, which the icon of the installed application shows with the pending changes. */
export const unreadCount = signal(0)

/** Handles the unsaved work of one part of the application. */
interface UnsavedWork {
  /** Saves it immediately. Resolves when it is saved or cannot be saved now. */
  save?(): Promise<unknown>
  /** Discards it in memory, except one user's, so that the next user cannot see it. */
  discard?(except?: string): void
  /** Whether closing the page would lose it; the browser then asks for confirmation. */
  isUnsafe?(): boolean
}

export const unsavedWork = new Set<UnsavedWork>()

interface Notice {
  readonly sentence: string
  /** The address of a screen with details. */
  readonly address?: string | undefined
}

const ownNotices = signal<ReadonlyMap<string, Notice>>(new Map())

/** Notices shown on every screen, by subject, with the problems of unsaved changes. */
export const notices = computed<ReadonlyMap<string, Notice>>(() => {
  const problems = [...pending.value].flatMap(([subject, { problem, address }]) =>
    problem === undefined ? [] : [[subject, { sentence: problem, address }] as const],
  )
  return new Map([...ownNotices.value, ...problems])
})

/** Sets or (with undefined) removes the notice about a subject. */
export function setNotice(subject: string, sentence: string | undefined, address?: string): void {
  if (ownNotices.peek().get(subject)?.sentence === sentence) return
  const next = new Map(ownNotices.peek())
  if (sentence === undefined) next.delete(subject)
  else next.set(subject, { sentence, address })
  ownNotices.value = next
}

addEventListener('beforeunload', (event) => {
  if ([...unsavedWork].some(({ isUnsafe }) => isUnsafe?.())) event.preventDefault()
})

/** The maximum time to wait for the server. */
const PATIENCE_MS = 3_000

/** Saves pending edits before the session changes, because the user may not return to this browser. */
export async function savePending(): Promise<void> {
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
  await Promise.race([Promise.all([...unsavedWork].map(({ save }) => save?.())), patience])
}
