import { hides, may, OTHERS } from '../access/rights.ts'
import { CHANGE_KINDS, type ChangeKind } from '../changes/entries.ts'
import { type Change, headsOf, selectAfter, type VisibleChanges } from '../changes/read.ts'
import type { InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { notFound, Refusal } from '../refusal.ts'

/** The kinds that are access to notes; those of structures are told by the structure of each change. */
const OF_NOTES: readonly ChangeKind[] = [
  'note',
  'tag',
  'property',
  'preset',
  'view',
  'lens',
  'quick_access_item',
]

/** Whether all objects of a kind are as if they did not exist. */
export const isHiddenKind = ({ rights }: InWorkspace, kind: ChangeKind): boolean =>
  (hides(rights, 'notes') && OF_NOTES.includes(kind)) || (hides(rights, 'files') && kind === 'file')

/** Which changes a caller sees; empty for all. */
export function visibleTo(caller: InWorkspace): { readonly visible?: VisibleChanges } {
  const { rights } = caller
  if (rights === undefined) return {}
  const named = Object.keys(rights.structures).filter((id) => id !== OTHERS)
  const seen = (ability: 'see' | 'read') => {
    const others = may(rights, OTHERS, ability)
    return { others, exceptions: named.filter((id) => may(rights, id, ability) !== others) }
  }
  return {
    visible: {
      hidden: CHANGE_KINDS.filter((kind) => isHiddenKind(caller, kind)),
      notes: !hides(rights, 'notes'),
      files: !hides(rights, 'files'),
      definitions: seen('see'),
      rows: seen('read'),
    },
  }
}

const MISSING =
  'This transaction changed more than you may write; it can be undone by who has "write" access to all of it.'

/** Refuses to take back changes of which the caller sees none, or not all of which they may write. */
export function checkUndoable(reader: Reader, caller: InWorkspace, changes: readonly Change[]): void {
  const { rights } = caller
  if (rights === undefined) return
  const { visible } = visibleTo(caller)
  const [first, last] = [changes[0]?.number ?? 0, changes.at(-1)?.number ?? 0]
  const range = { after: first - 1, upTo: last, limit: 1 }
  if (headsOf(reader, selectAfter(reader, caller.workspacePk, range, { visible })).length === 0)
    throw notFound('transaction')
  const mayWrite = ({ kind, structureId }: Change) => {
    if (structureId !== null) return may(rights, structureId, 'change')
    return (kind === 'file' ? rights.files : rights.notes) === 'write'
  }
  if (!changes.every(mayWrite)) throw new Refusal('no_access', MISSING)
}
