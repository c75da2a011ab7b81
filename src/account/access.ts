import { type Access, OTHERS } from '../access/rights.ts'
import type { InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { isId } from '../lib/ids.ts'
import { invalid } from '../refusal.ts'
import { findStructureById } from '../structures/store.ts'

/** Returns an access as it was sent; refuses one that names a structure which the caller does not see, or by its name. */
export function checkedAccess(reader: Reader, caller: InWorkspace, access: Access | null): Access | null {
  for (const id of Object.keys(access?.structures ?? {})) {
    if (id === OTHERS || (isId(id) && findStructureById(reader, caller, id))) continue
    throw invalid(
      `"access.structures" names "${id}", and there is no structure with this id; give ids, and "*" for all others.`,
    )
  }
  return access
}
