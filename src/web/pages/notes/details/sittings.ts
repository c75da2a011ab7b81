import type { Revision } from '../../../data/note-revisions.ts'

/** Edits of one person or program, none of them long after the one before. */
export interface Sitting {
  /** Who made them, where that is known. */
  readonly author: string | undefined
  /** The revision that holds the text before all of them; the last of `revisions`. */
  readonly first: Revision
  /** Newest first. */
  readonly revisions: readonly Revision[]
}

/** A longer pause begins another sitting. */
const PAUSE_MS = 15 * 60_000

const isSoonAfter = (later: Revision, earlier: Revision, authors: ReadonlyMap<string, string>): boolean =>
  later.surface === earlier.surface &&
  authors.get(later.created_at) === authors.get(earlier.created_at) &&
  Date.parse(later.created_at) - Date.parse(earlier.created_at) <= PAUSE_MS

/** The revisions of a note, newest first, by the sittings in which they were made. */
export function sittingsOf(revisions: readonly Revision[], authors: ReadonlyMap<string, string>): Sitting[] {
  const sittings: { author: string | undefined; first: Revision; revisions: Revision[] }[] = []
  for (const revision of revisions) {
    const latest = sittings.at(-1)
    if (latest && isSoonAfter(latest.first, revision, authors)) {
      latest.first = revision
      latest.revisions.push(revision)
    } else sittings.push({ author: authors.get(revision.created_at), first: revision, revisions: [revision] })
  }
  return sittings
}
