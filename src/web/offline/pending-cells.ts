import { draftsLoaded } from '../data/note-documents.ts'
import {
  type CellName,
  cellStore,
  type EntryKey,
  type Owner,
  type StoredCell,
} from '../data/pending-cells.ts'
import { database } from './database.ts'
import { entriesOf, keyOf, writing } from './queue.ts'

const placeOf = ({ user, workspace, tab }: Owner, name: CellName): EntryKey => ({
  user,
  workspace,
  name: `cell ${name.join(' ')}`,
  tab,
})

cellStore.current = {
  putCells: (owner, cells, gone) =>
    writing((store) => {
      for (const { row, structure, field, ...cell } of cells) {
        const place = placeOf(owner, [structure.id, row.id, field.key])
        const data = { [field.key]: row.data[field.key] }
        const stored: StoredCell = { ...place, ...cell, structure, field, row: { ...row, data } }
        store('queue').put(stored)
      }
      for (const name of gone) store('queue').delete(keyOf(placeOf(owner, name)))
    }),
  listCells: async (user, workspace) => {
    const found = await (await database()).getAll('queue', entriesOf('cell', user, workspace))
    return (found as StoredCell[]).sort((one, other) => one.at - other.at)
  },
  moveCells: (cells, tab) =>
    writing((store) => {
      for (const cell of cells) {
        store('queue').delete(keyOf(cell))
        store('queue').put({ ...cell, tab })
      }
    }),
  adoptCellsOf: (structure) => void draftsLoaded({ structure }),
  // If this fails, the change feed updates the copy.
  keepSaved: (structure, row) =>
    void import('./copy.ts').then(({ keepSavedRow }) => keepSavedRow(structure, row)).catch(() => {}),
}
