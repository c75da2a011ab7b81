import { hides, may, OTHERS } from '../access/rights.ts'
import { CHANGE_KINDS, type ChangeKind } from '../changes/entries.ts'
import type { VisibleChanges } from '../changes/read.ts'
import type { InWorkspace } from '../context.ts'

/** The kinds that are access to notes; those of structures are told by the structure of each change. */
const OF_NOTES: readonly ChangeKind[] = [
  'note',
  'tag',
  'property',
  'preset',
  'view',
  'lens',
  'quick_access_item',
  'share',
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
      filesOfNotes: !hides(rights, 'notes'),
      definitions: seen('see'),
      rows: seen('read'),
    },
  }
}
