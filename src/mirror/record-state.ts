import type { Remote } from './remote.ts'
import { RemoteAway } from './remote.ts'
import type { RemoteChange, RemoteObject } from './remote-objects.ts'

const ATTEMPTS = 10

/**
 * A record as it was just after one of its changes: what came later is taken back with its history. Undefined if that
 * can no longer be known.
 */
export async function recordAt(
  remote: Remote,
  { id, structure_id, cursor }: RemoteChange,
): Promise<RemoteObject | undefined> {
  const recordId = String(id)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const versions = await remote.historyOf(recordId)
    const record = await remote.findRecord(recordId, structure_id ?? '')
    const [newest] = await remote.historyOf(recordId)
    // It changed while it was read.
    if (newest?.cursor !== versions[0]?.cursor) continue
    const later = versions.findIndex((version) => version.cursor === cursor)
    if (!record || later === -1) return undefined
    const data: Record<string, unknown> = { ...(record.data as object) }
    for (const { previous } of versions.slice(0, later)) Object.assign(data, previous)
    const present = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null))
    const at = versions[later]?.at ?? ''
    return { ...record, data: present, ...(later > 0 && { updated_at: at, deleted_at: null }) }
  }
  throw new RemoteAway(`The record ${recordId} changed again and again while it was read.`)
}
