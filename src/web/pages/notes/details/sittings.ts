import type { Revision } from '../../../data/note-revisions.ts'

/** Edits that came by the same way, none of them long after the one before. */
export interface Sitting {
  /** The revision that holds the text before all of them; the last of `revisions`. */
  readonly first: Revision
  /** Newest first. */
  readonly revisions: readonly Revision[]
}

/** A longer pause begins another sitting. */
const PAUSE_MS = 15 * 60_000

const isSoonAfter = (later: Revision, earlier: Revision): boolean =>
  later.surface === earlier.surface &&
  Date.parse(later.created_at) - Date.parse(earlier.created_at) <= PAUSE_MS

/** The revisions of a note, newest first, by the sittings in which they were made. */
export function sittingsOf(revisions: readonly Revision[]): Sitting[] {
  const sittings: { first: Revision; revisions: Revision[] }[] = []
  for (const revision of revisions) {
    const latest = sittings.at(-1)
    if (latest && isSoonAfter(latest.first, revision)) {
      latest.first = revision
      latest.revisions.push(revision)
    } else sittings.push({ first: revision, revisions: [revision] })
  }
  return sittings
}
