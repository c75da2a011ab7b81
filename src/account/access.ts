import { type Access, OTHERS } from '../access/rights.ts'
import type { InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { isId } from '../lib/ids.ts'
import { invalid } from '../refusal.ts'
import { findStructureById } from '../structures/store.ts'

/**
 * Returns an access as it was sent; refuses one that names a structure which the caller does not see, or by its name. What
 * `before`, the access until now, named is no matter: the structure may have been deleted since.
 */
export function checkedAccess(
  reader: Reader,
  caller: InWorkspace,
  access: Access | null,
  before?: Access | null,
): Access | null {
  for (const id of Object.keys(access?.structures ?? {})) {
    if (id === OTHERS || (before?.structures && Object.hasOwn(before.structures, id))) continue
    if (isId(id) && findStructureById(reader, caller, id)) continue
    throw invalid(
      `"access.structures" names "${id}", and there is no structure with this id; give ids, and "*" for all others.`,
    )
  }
  return access
}
