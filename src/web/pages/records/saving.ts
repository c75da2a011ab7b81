import { unreachableSince } from '../../data/request.ts'

/** Status of a cell that is not saved yet. */
export const savingText = (): string =>
  unreachableSince.value === undefined ? 'Saving…' : 'Not saved. Will save when the server is back.'
