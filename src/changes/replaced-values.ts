import type { Reader } from '../db/reader.ts'
import { TooLongHere } from '../db/worker/client.ts'
import { parseDifference } from './entries.ts'
import { lastChange } from './log.ts'
import { type Change, changesAfter } from './read.ts'

/** What later changes replaced of a record that was live at a position in the log. */
export interface Replaced {
  /** The old values of its fields, null where there was none. */
  readonly values: Record<string, unknown>
  readonly updatedAt: number
}

/** Each may hold as much as a record. */
const CHANGES_AT_ONCE = 50
/** More changes or old values than this are not collected. */
const MAX_CHANGES = 100_000
const MAX_LENGTH = 67_108_864

/**
 * The records of a structure that have changes after a number of the log, by id, with what those replaced; undefined
 * for a record that was not live there. Returns undefined if there are too many; throws `TooLongHere` when their old
 * values are longer than `maxLength`, if that is given.
 */
export function replacedAfter(
  reader: Reader,
  workspace: number,
  structureId: string,
  after: number,
  maxLength?: number,
): Map<string, Replaced | undefined> | undefined {
  const found = new Map<string, Replaced | undefined>()
  const upTo = lastChange(reader, workspace)
  let position = after
  let count = 0
  let length = 0
  for (;;) {
    const page = { after: position, upTo, limit: CHANGES_AT_ONCE }
    const changes = changesAfter(reader, workspace, page, { kinds: ['record'], structureId })
    for (const change of changes) {
      if (!add(found, change)) return undefined
      length += change.detail?.length ?? 0
      position = change.number
    }
    count += changes.length
    if (maxLength !== undefined && length > maxLength) throw new TooLongHere()
    if (count > MAX_CHANGES || length > MAX_LENGTH) return undefined
    if (changes.length < CHANGES_AT_ONCE) return found
  }
}

/** Adds a change; of several, the first one names what the record had. False if the log does not say. */
function add(found: Map<string, Replaced | undefined>, change: Change): boolean {
  const { operation, replaced, detail } = change
  const id = String(change.id)
  if (!found.has(id)) {
    const wasLive = operation === 'updated' || operation === 'deleted'
    if (wasLive && replaced === null) return false
    found.set(id, wasLive && replaced !== null ? { values: {}, updatedAt: replaced } : undefined)
  }
  const values = found.get(id)?.values
  if (!values || operation !== 'updated' || detail === null) return true
  const { previous } = parseDifference(detail)
  for (const key of Object.keys(previous)) if (!Object.hasOwn(values, key)) values[key] = previous[key]
  return true
}
