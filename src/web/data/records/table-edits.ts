import { effect, untracked } from '@preact/signals'
import { unsavedWork } from '../pending.ts'
import { cellStore, currentOwner, type StoredCell } from '../pending-cells.ts'
import { sessionKey } from '../session-key.ts'
import { Edits } from './edits.ts'
import type { Structure } from './model.ts'
import { RowStore, type Rows } from './row-store.ts'

/** Edits per structure, for structures that are shown or have unsaved cells. */
const editsByStructure = new Map<string, Edits>()

/** The edits of a structure, including unsaved ones from earlier. */
export function editsOf(structure: Pick<Structure, 'id' | 'name'>, source: Rows): Edits {
  const onIdle = () => {
    if (editsByStructure.get(structure.id) === edits) editsByStructure.delete(structure.id)
  }
  const edits: Edits = editsByStructure.get(structure.id) ?? new Edits(structure, source, onIdle)
  editsByStructure.set(structure.id, edits)
  edits.source = source
  return edits
}

/** Adopts the stored cells, which all tabs change: the ones of other tabs, and of earlier sessions. */
async function syncCells(): Promise<void> {
  const owner = currentOwner()
  const key = sessionKey.peek()
  const stored = owner && (await cellStore.current?.list(owner))
  // Another user may have signed in meanwhile, in whose name the cells would be sent.
  if (!stored || key !== sessionKey.peek()) return
  const byStructure = Map.groupBy(stored, ({ structure }) => structure.id)
  for (const [id, edits] of editsByStructure) if (!byStructure.has(id)) edits.sync([])
  for (const [id, cells] of byStructure) {
    const [{ structure }] = cells as [StoredCell]
    editsOf(structure, editsByStructure.get(id)?.source ?? new RowStore()).sync(cells)
  }
}

cellStore.tables = {
  sync: syncCells,
  storeAgain: () => {
    for (const edits of editsByStructure.values()) edits.storeAgain()
  },
}
const forgetAll = () => {
  for (const edits of editsByStructure.values()) edits.forgetAll()
}
unsavedWork.add({
  save: () => Promise.all([...editsByStructure.values()].map(({ settled }) => settled)),
  discard: (except) => except === undefined && forgetAll(),
  isUnsafe: () => [...editsByStructure.values()].some(({ isUnsafe }) => isUnsafe),
})
effect(() => {
  void sessionKey.value
  untracked(forgetAll)
  editsByStructure.clear()
})
