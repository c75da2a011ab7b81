import { read } from '../../kernel/operation.ts'
import { findUserById } from '../../people/accounts/store.ts'
import { getNoteSummary } from '../store.ts'

/** The note that a caller opens, and the name of the caller's user. */
export const openNote = read({
  name: 'notes.open',
  covers: 'notes',
  run: (snapshot, caller, { id }: { id: string }) => ({
    noteId: getNoteSummary(snapshot, caller, id).id,
    name: findUserById(snapshot, caller.userId)?.name ?? '',
  }),
})
