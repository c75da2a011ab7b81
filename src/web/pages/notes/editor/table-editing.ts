import { type Extension, Prec } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { tableBar } from './table-bar.ts'
import { closedBracket, leaveTable, stayInCells, tableKeys, tableRules } from './table-keys.ts'
import { tablePaste } from './table-paste.ts'
import { drawnTables } from './tables.ts'

/** Tables of the live preview. */
export const previewedTables: Extension = [drawnTables, stayInCells, tableBar]

/** Keys, rules and pasted cells, also in plain Markdown. */
export const tableEditing: Extension = [
  Prec.high(keymap.of([...tableKeys, { key: 'Mod-Enter', run: leaveTable }])),
  tableRules,
  tablePaste,
]

export { closedBracket }
