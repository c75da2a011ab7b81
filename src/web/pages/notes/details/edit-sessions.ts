import type { Revision } from '../../../data/note-revisions.ts'

/** Consecutive edits by one author on one surface, without a long pause. */
export interface EditSession {
  /** Undefined if unknown. */
  readonly author: string | undefined
  /** The oldest revision: the text before all edits of the session. */
  readonly first: Revision
  /** Newest first. */
  readonly revisions: readonly Revision[]
}

/** A longer pause starts a new session. */
const PAUSE_MS = 15 * 60_000

const isSoonAfter = (later: Revision, earlier: Revision, authors: ReadonlyMap<string, string>): boolean =>
  later.surface === earlier.surface &&
  authors.get(later.created_at) === authors.get(earlier.created_at) &&
  Date.parse(later.created_at) - Date.parse(earlier.created_at) <= PAUSE_MS

/** Groups revisions, newest first, into edit sessions. */
export function editSessionsOf(
  revisions: readonly Revision[],
  authors: ReadonlyMap<string, string>,
): EditSession[] {
  const sessions: { author: string | undefined; first: Revision; revisions: Revision[] }[] = []
  for (const revision of revisions) {
    const latest = sessions.at(-1)
    if (latest && isSoonAfter(latest.first, revision, authors)) {
      latest.first = revision
      latest.revisions.push(revision)
    } else sessions.push({ author: authors.get(revision.created_at), first: revision, revisions: [revision] })
  }
  return sessions
}
