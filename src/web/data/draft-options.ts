import type { Conflict, NoteEdit, NoteEntry, NoteText, NoteVersion } from './note-text.ts'
import { Refused, Unreachable } from './request.ts'

export type SaveState =
  | { readonly kind: 'saved' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'away' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'conflict'; readonly conflict: Conflict }
  | { readonly kind: 'refused'; readonly sentence: string; readonly isGone: boolean }

/** Returns the next entry of a note from its current one, without side effects outside the draft. */
export type Exchange = (entry: NoteEntry | undefined, folded: number | undefined) => NoteEntry | undefined

/** The dependencies of a draft. */
export interface DraftOptions {
  /** Stores an edit before anything is read. Starts synchronously, so that it outlives a tab that is closed at once. */
  readonly write: (edit: NoteEdit) => void
  /**
   * Replaces the entry of the note in the outbox, and removes the edit of this tab, in one transaction. `folded` is the
   * number of the edit of this tab that another one has merged into the entry.
   */
  readonly exchange: (next: Exchange) => Promise<void>
  /** Removes the entry of the note. */
  readonly discard: () => void
  /** Runs a function while no other tab sends, in the order of the edits. */
  readonly inOrder: (at: number, send: () => Promise<void>) => Promise<void>
  /** Saves changes if the note still has this `updated_at`, else throws `Refused` with the code `stale`. */
  readonly save: (changes: Partial<NoteText>, ifUnchanged: string) => Promise<NoteVersion>
  readonly read: () => Promise<NoteVersion>
  /** Calls a function after a delay. Returns a function that cancels the call. */
  readonly later: (act: () => void, ms: number) => () => void
  readonly onUnsaved: (isUnsaved: boolean) => void
}

/** Whether a save that failed is sent again without an edit. */
export const isSentAgain = (error: Error): boolean =>
  !(error instanceof Refused) || error.status === 429 || error.status >= 500

/** The state of a draft after its save has failed. */
export function stateAfter(error: Error): SaveState {
  const isRefused = error instanceof Refused
  if (isRefused && error.status === 401) return { kind: 'signed-out' }
  if (error instanceof Unreachable || (isRefused && isSentAgain(error))) return { kind: 'away' }
  return { kind: 'refused', sentence: error.message, isGone: isRefused && error.status === 404 }
}
