import type { Caller, InWorkspace } from '../context.ts'
import { checkAbility, checkWrite, hides, may, OTHERS } from '../kernel/caller.ts'
import { Refusal } from '../lib/refusal.ts'
import { type Change, headsOf, selectAfter, type VisibleChanges } from '../log/read.ts'
import { isHiddenKind } from '../objects/current.ts'
import { findStructure } from '../records/structures/store.ts'
import type { Reader } from '../storage/reader.ts'
import { CHANGE_KINDS } from '../storage/schema/changes.ts'

/** The changes visible to a caller; empty for all. */
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

/** Filters consecutive changes to those visible to the caller. */
export function seenOf(reader: Reader, caller: Caller, changes: readonly Change[]): readonly Change[] {
  const range = {
    after: (changes[0]?.number ?? 0) - 1,
    upTo: changes.at(-1)?.number ?? 0,
    limit: changes.length,
  }
  const filter = { ...visibleTo(caller), userId: caller.userId }
  const seen = new Set(
    headsOf(reader, selectAfter(caller.workspacePk, range, filter)).map(({ number }) => number),
  )
  return changes.filter(({ number }) => seen.has(number))
}

const MISSING =
  'This transaction changed more than you can write; someone with "write" access to all of it can undo it.'

/**
 * Refuses to undo changes unless the caller may write all of them; `seen` are those visible to the caller. The refusal
 * names the missing permission, unless the object is hidden.
 */
export function checkUndoable(
  reader: Reader,
  caller: Caller,
  changes: readonly Change[],
  seen: readonly Change[],
): void {
  const { rights } = caller
  for (const { kind, structureId } of rights === undefined ? [] : seen) {
    if (structureId === null) checkWrite(rights, kind === 'file' ? 'files' : 'notes')
    else {
      const name = findStructure(reader, caller, structureId)?.name
      if (!may(rights, structureId, 'change') && name === undefined) throw new Refusal('no_access', MISSING)
      checkAbility(rights, { id: structureId, name: name ?? '' }, 'change')
    }
  }
  const mayWrite = ({ kind, structureId }: Change) => {
    if (structureId !== null) return may(rights, structureId, 'change')
    return rights === undefined || (kind === 'file' ? rights.files : rights.notes) === 'write'
  }
  if (!changes.every(mayWrite)) throw new Refusal('no_access', MISSING)
}
