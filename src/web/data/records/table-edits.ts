import { effect, untracked } from '@preact/signals'
import { discarders, keepers, savers, unfinished } from '../pending.ts'
import { type CellName, cellStore, currentOwner, type StoredCell } from '../pending-cells.ts'
import { sessionKey } from '../session-key.ts'
import { TAB } from '../tabs.ts'
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

/**
 * Adopts drafts of closed tabs and of earlier sessions of this tab; for the structure `shown` also drafts that an open
 * tab does not display. Returns the drafts of other tabs.
 */
export async function adoptCells(
  openTabs: ReadonlySet<string>,
  shown?: string,
): Promise<readonly StoredCell[]> {
  const owner = currentOwner()
  const store = cellStore.current
  if (!owner || !store) return []
  const adopted = await store.moveCells(
    owner,
    ({ tab, structure, row, field, isShown }) =>
      (tab === TAB || !openTabs.has(tab) || (structure.id === shown && isShown === false)) &&
      !editsByStructure.get(structure.id)?.knows(row.id, field.key),
  )
  // Another user has signed in meanwhile, in whose name they would be sent.
  if (owner.user !== currentOwner()?.user || owner.workspace !== currentOwner()?.workspace) return []
  for (const cells of Map.groupBy(adopted, ({ structure }) => structure.id).values()) {
    const [first] = cells
    if (first)
      editsOf(first.structure, editsByStructure.get(first.structure.id)?.source ?? new RowStore()).adopt(
        cells,
      )
  }
  return adopted.filter(({ tab }) => tab !== TAB)
}

/** Discards the unsaved value of a cell. */
export const discardCell = ([structure, row, field]: CellName): void =>
  editsByStructure.get(structure)?.drop(row, field)

/** Releases a cell that another tab adopted, unless it is shown here. If the tab discarded it, it is discarded here too. */
export function releaseCell(name: CellName, isDiscarded: boolean): void {
  if (isDiscarded || !editsByStructure.get(name[0])?.isShown) discardCell(name)
}

keepers.add(() => {
  for (const edits of editsByStructure.values()) edits.storeAgain()
})
unfinished.add(() => [...editsByStructure.values()].some(({ isUnsafe }) => isUnsafe))
savers.add(() => Promise.all([...editsByStructure.values()].map(({ settled }) => settled)))
const forgetAll = () => {
  for (const edits of editsByStructure.values()) edits.forgetAll()
}
discarders.add((except) => except === undefined && forgetAll())
effect(() => {
  void sessionKey.value
  untracked(forgetAll)
  editsByStructure.clear()
})
