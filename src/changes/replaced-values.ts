import type { Reader } from '../db/reader.ts'
import { TooLongHere } from '../db/worker/client.ts'
import { parseDifference } from './entries.ts'
import { lastChange } from './log.ts'
import { type Change, eachChange, selectAfter } from './read.ts'

/** What later changes replaced of a record that was live at a position in the log. */
export interface Replaced {
  /** The old values of its fields, null where there was none. */
  readonly values: Record<string, unknown>
  readonly updatedAt: number
}

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
  const range = { after, upTo: lastChange(reader, workspace), limit: MAX_CHANGES + 1 }
  const selected = selectAfter(reader, workspace, range, { kinds: ['record'], structureId })
  let count = 0
  let length = 0
  for (const change of eachChange(reader, selected)) {
    if (!add(found, change)) return undefined
    count += 1
    length += change.detail?.length ?? 0
    if (maxLength !== undefined && length > maxLength) throw new TooLongHere()
    if (count > MAX_CHANGES || length > MAX_LENGTH) return undefined
  }
  return found
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
