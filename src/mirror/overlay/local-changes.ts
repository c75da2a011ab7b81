import { type RecordData, valueIn } from '../../changes/record-data.ts'
import { wholeWorkspace } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { findStructureById } from '../../structures/store.ts'
import { differenceBetween } from '../reconcile.ts'
import type { RemoteObject } from '../remote-objects.ts'
import { findState } from '../state.ts'
import { localState } from './local-state.ts'
import { isConflict, isSameContent, listOverlay, type OverlayRow } from './store.ts'

/** What was changed in a writable mirror and is not the same on the remote. */
export interface LocalChange {
  readonly kind: 'note' | 'record'
  readonly op: 'created' | 'updated' | 'deleted'
  readonly id: string
  readonly structureId: string | null
  /** The title of a note, the label of a record. */
  readonly label: string | null
  /** The attributes or fields that an update changed. */
  readonly changed: readonly string[]
  /** What the remote did to it meanwhile, in a sentence; null where it did nothing. */
  readonly conflict: string | null
  /** As it was when it was changed here, and as it is here; null where there is nothing. */
  readonly before: RemoteObject | null
  readonly after: RemoteObject | null
}

const parsed = (json: string | null) => (json === null ? null : (JSON.parse(json) as RemoteObject))

/** In the order in which they were first changed. */
export function listLocalChanges(reader: Reader): LocalChange[] {
  const workspacePk = findState(reader)?.workspace ?? 0
  return listOverlay(reader).flatMap((row) => {
    const { kind, id, structure } = row
    if (kind !== 'note' && kind !== 'record') return []
    const { json } = localState(reader, row, workspacePk)
    if (isSameContent(json, row.remote) || isSameContent(json, row.base)) return []
    const [before, after] = [parsed(row.base), parsed(json)]
    return {
      kind,
      op:
        before === null ? ('created' as const) : after === null ? ('deleted' as const) : ('updated' as const),
      id,
      structureId: structure,
      label: labelOf(reader, workspacePk, row, after ?? before),
      changed: before && after ? differenceBetween(kind, before, after).changed : [],
      conflict: isConflict(row) ? conflictOf(row) : null,
      before,
      after,
    }
  })
}

function labelOf(
  reader: Reader,
  workspacePk: number,
  { kind, structure }: OverlayRow,
  object: RemoteObject | null,
): string | null {
  if (kind === 'note') return String(object?.title)
  const label = findStructureById(reader, wholeWorkspace(workspacePk), structure ?? '')?.labelField ?? null
  const value = label === null ? undefined : valueIn((object?.data ?? {}) as RecordData, label)
  return value === undefined ? null : String(value)
}

function conflictOf({ kind, base, remote, problem }: OverlayRow): string {
  if (problem !== null) return problem
  const [before, after] = [parsed(base), parsed(remote)]
  if (after === null) return 'The remote deleted it meanwhile.'
  if (before === null) return 'The remote has an object with this id meanwhile.'
  const { changed } = differenceBetween(kind, before, after)
  return changed.length === 0
    ? 'The remote changed it meanwhile.'
    : `The remote changed it meanwhile: ${changed.join(', ')}.`
}
