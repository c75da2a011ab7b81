import { effect } from '@preact/signals'
import { isSameValue } from '../../lib/record-data.ts'
import {
  type Cell,
  type CellChanges,
  type CellName,
  cellStore,
  currentOwner,
  type EntryKey,
  type Owner,
  type StoredCell,
} from '../data/pending-cells.ts'
import { isSignedOut, unreachableSince } from '../data/request.ts'
import { session } from '../data/session.ts'
import { TAB } from '../data/tabs.ts'
import { database, onCleared } from './database.ts'
import { openTabs } from './open-tabs.ts'
import {
  cellEntryOf,
  changingQueue,
  entriesOf,
  keyOf,
  NO_TAB,
  onQueueChange,
  type QueueStore,
  writing,
} from './queue.ts'

/* Pending cells in the queue. They belong to no tab: every tab shows them, and the holder of a lock sends them. */

const nameOf = ({ structure, row, field }: Omit<Cell, 'state'>): CellName => [structure.id, row.id, field.key]

/** An edit of a cell, with the values that were sent for it and for another edit of it. */
function merged(edit: StoredCell, other: StoredCell): StoredCell {
  const others = other.sent.filter((value) => !edit.sent.some((sent) => isSameValue(value, sent)))
  return { ...edit, sent: [...others, ...edit.sent] }
}

const find = async (queue: QueueStore, entry: EntryKey) =>
  (await queue.get(keyOf(entry))) as StoredCell | undefined

function entryOf(owner: Owner, cell: Cell): StoredCell {
  const { row, field } = cell
  const data = { [field.key]: row.data[field.key] }
  return { ...cellEntryOf(owner, nameOf(cell)), ...cell, row: { ...row, data } }
}

/** Stores edits as edits of this tab, without reading: a tab may be closed before their entries are read. */
async function writeEdits(owner: Owner, edited: readonly Cell[]): Promise<void> {
  if (edited.length === 0) return
  await writing((store) => {
    for (const cell of edited) store('queue').put({ ...entryOf(owner, cell), tab: TAB })
  })
}

/** Merges changes with the entries, and removes the edits of this tab. */
const mergeChanges = (owner: Owner, { edited, updated, removed }: CellChanges): Promise<void> =>
  changingQueue(async (queue) => {
    const put = async (cell: Cell, isNew: boolean) => {
      const entry = entryOf(owner, cell)
      const stored = await find(queue, entry)
      if (isNew) void queue.delete(keyOf({ ...entry, tab: TAB }))
      if (!stored) return isNew && queue.put(entry)
      const isCurrent = isNew || stored.at === entry.at
      return queue.put(isCurrent ? merged(entry, stored) : merged(stored, entry))
    }
    const remove = async (cell: Omit<Cell, 'state'>) => {
      const stored = await find(queue, cellEntryOf(owner, nameOf(cell)))
      if (stored?.at === cell.at) await queue.delete(keyOf(stored))
    }
    await Promise.all([
      ...edited.map((cell) => put(cell, true)),
      ...updated.map((cell) => put(cell, false)),
      ...removed.map(remove),
    ])
  })

cellStore.current = {
  change: async (owner, changes) => {
    await Promise.all([writeEdits(owner, changes.edited), mergeChanges(owner, changes)])
  },
  list: async ({ user, workspace }, structure) => {
    const range = entriesOf(structure === undefined ? 'cell' : `cell ${structure}`, user, workspace)
    const found = (await (await database()).getAll('queue', range)) as StoredCell[]
    return found.filter(({ tab }) => tab === NO_TAB).sort((one, other) => one.at - other.at)
  },
  // If this fails, the change feed updates the copy.
  keepSaved: (structure, row) =>
    void import('./copy.ts').then(({ keepSavedRow }) => keepSavedRow(structure, row)).catch(() => {}),
}

/** Merges edits that a closed tab has stored, and cells of closed tabs of an earlier version, which belonged to their tab. */
async function moveCellsOfTabs({ user, workspace }: Owner, tabs: ReadonlySet<string>): Promise<void> {
  const open = await openTabs()
  // A change of the queue has all other tabs sync, which would have this one sync again.
  if ([...tabs].every((tab) => open.has(tab))) return
  await changingQueue(async (queue) => {
    for (const cell of (await queue.getAll(entriesOf('cell', user, workspace))) as StoredCell[]) {
      if (cell.tab === NO_TAB || open.has(cell.tab)) continue
      const moved = { ...cell, tab: NO_TAB }
      const stored = await find(queue, moved)
      const isLater = !stored || stored.at < moved.at
      void queue.put(isLater ? merged(moved, stored ?? moved) : merged(stored, moved))
      void queue.delete(keyOf(cell))
    }
  })
}

/** Adopts the stored cells of all tabs. The code of tables is loaded if there are any. */
export async function syncCells(): Promise<void> {
  const owner = currentOwner()
  if (!owner) return
  const range = entriesOf('cell', owner.user, owner.workspace)
  const keys = await (await database()).getAllKeys('queue', range)
  const tabs = new Set(keys.flatMap(([, , , tab = NO_TAB]) => (tab === NO_TAB ? [] : [tab])))
  if (tabs.size > 0) await moveCellsOfTabs(owner, tabs)
  if (keys.length > 0 && !cellStore.tables) await import('../data/records/table-edits.ts')
  await cellStore.tables?.sync()
}

/** Adopts stored cells with each session, after other tabs changed them, and when the server is back. */
export function startCells(): void {
  // Without storage there are no cells to adopt.
  const sync = () => void syncCells().catch(() => undefined)
  onCleared(() => cellStore.tables?.storeAgain())
  onQueueChange((isElsewhere) => isElsewhere && sync())
  effect(() => {
    // Run again when the server is back, which a tab may detect before others.
    void unreachableSince.value
    if (session.value && !isSignedOut.value) sync()
  })
}
