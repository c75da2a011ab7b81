import { cursorNames, findPosition, isKeptAfter } from '../../changes/epochs.ts'
import type { Reader } from '../../db/reader.ts'
import { sha256 } from '../../lib/sha256.ts'

/*
 * The id of a watch event says which page it carries: the place in the change log at which the page was read, and the
 * query. So a page that was sent before a restart of the server is known after it.
 */

const DIGITS = 12

/** What tells the pages of a query from those of others. */
export const queryDigest = (queryKey: string): string => sha256(queryKey).slice(0, DIGITS)

export const eventId = (reader: Reader, workspacePk: number, position: number, digest: string): string =>
  `${cursorNames(reader, workspacePk)(position)}-${digest}`

/**
 * The place in the log at which the page of an event was read. Undefined if the id is of another query or database, or
 * changes since then were swept.
 */
export function findEventPosition(
  reader: Reader,
  workspacePk: number,
  id: string,
  digest: string,
): number | undefined {
  if (!id.endsWith(`-${digest}`)) return undefined
  const position = findPosition(reader, workspacePk, id.slice(0, -digest.length - 1))
  return position !== undefined && isKeptAfter(reader, workspacePk, position) ? position : undefined
}
