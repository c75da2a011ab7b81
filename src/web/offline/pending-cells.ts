import { cellStore, type StoredCell } from '../data/pending-cells.ts'
import { database } from './database.ts'
import { draftsLoaded } from './note-documents.ts'
import { cellEntryOf, entriesOf, keyOf, writing } from './queue.ts'

cellStore.current = {
  putCells: (owner, cells, gone) =>
    writing((store) => {
      for (const { row, structure, field, ...cell } of cells) {
        const place = cellEntryOf(owner, [structure.id, row.id, field.key])
        const data = { [field.key]: row.data[field.key] }
        const stored: StoredCell = { ...place, ...cell, structure, field, row: { ...row, data } }
        store('queue').put(stored)
      }
      for (const name of gone) store('queue').delete(keyOf(cellEntryOf(owner, name)))
    }),
  moveCells: async ({ user, workspace, tab }, isMoved) => {
    const transaction = (await database()).transaction('queue', 'readwrite')
    const found = await transaction.store.getAll(entriesOf('cell', user, workspace))
    const moved = (found as StoredCell[]).filter(isMoved)
    for (const cell of moved) {
      void transaction.store.delete(keyOf(cell))
      void transaction.store.put({ ...cell, tab })
    }
    await transaction.done
    return moved.sort((one, other) => one.at - other.at)
  },
  adoptCellsOf: (structure) => void draftsLoaded({ structure }),
  // If this fails, the change feed updates the copy.
  keepSaved: (structure, row) =>
    void import('./copy.ts').then(({ keepSavedRow }) => keepSavedRow(structure, row)).catch(() => {}),
}
