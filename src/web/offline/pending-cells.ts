import { cellStore, type StoredCell } from '../data/pending-cells.ts'
import { draftsLoaded } from './note-documents.ts'
import { cellEntryOf, changingQueue, entriesOf, keyOf, writing } from './queue.ts'

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
  moveCells: ({ user, workspace, tab }, isMoved) =>
    changingQueue(async (queue) => {
      const found = (await queue.getAll(entriesOf('cell', user, workspace))) as StoredCell[]
      const moved = found.filter(isMoved)
      for (const cell of moved) {
        void queue.delete(keyOf(cell))
        void queue.put({ ...cell, tab })
      }
      return moved.sort((one, other) => one.at - other.at)
    }),
  adoptCellsOf: (structure) => void draftsLoaded({ structure }),
  // If this fails, the change feed updates the copy.
  keepSaved: (structure, row) =>
    void import('./copy.ts').then(({ keepSavedRow }) => keepSavedRow(structure, row)).catch(() => {}),
}
