import type { InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { didYouMean } from '../lib/near-miss.ts'
import { Refusal } from '../refusal.ts'

/** Imported only when needed, because it loads the records. */
const store = () => import('../structures/store.ts')

/** Refuses the name or id of no structure, with the name that was probably meant. */
export async function checkStructure(reader: Reader, caller: InWorkspace, nameOrId: string): Promise<void> {
  const { findStructure, listStructureRows } = await store()
  if (findStructure(reader, caller, nameOrId)) return
  const names = listStructureRows(reader, caller).map(({ name }) => name)
  throw new Refusal('not_found', `There is no structure "${nameOrId}".${didYouMean(nameOrId, names)}`)
}
