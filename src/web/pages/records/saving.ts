import type { Edits } from '../../data/records/edits.ts'
import { unreachableSince } from '../../data/request.ts'

/** Status of a cell that is not saved yet. */
export const savingText = (): string =>
  unreachableSince.value === undefined ? 'Saving…' : 'Not saved. Will save when the server is back.'

/** Tells that changes are saved later; undefined while the server can be reached, or without any. */
export const pendingText = (edits: Edits): string | undefined =>
  unreachableSince.value !== undefined && edits.cells.value.size > 0 ? savingText() : undefined
