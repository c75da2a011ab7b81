import type { AppContext, Caller } from '../context.ts'
import { fail, notFound } from '../refusal.ts'
import type { FeatureCounts } from '../usage.ts'
import { findWorkspace } from './store.ts'

export interface WorkspaceCounts extends FeatureCounts {
  notes: number
  trashedNotes: number
}

/** The caller's workspace and how many objects of each kind it holds. */
export function getWorkspace({ db, usage }: AppContext, { workspacePk }: Caller) {
  const row = findWorkspace(db, workspacePk) ?? fail(notFound('workspace'))
  const { liveNotes: notes, trashedNotes } = row
  const counts: WorkspaceCounts = { notes, trashedNotes, ...usage.countsOf(db, workspacePk) }
  return { row, counts }
}
