import { Type } from '@sinclair/typebox'
import { undo } from '../../../feed/undo.ts'
import { choice, strict, text } from '../../../http/schema/types.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { checkWrite } from '../../../kernel/caller.ts'
import { transactionCursor } from '../../../log/cursors.ts'
import { putInTrash } from '../../../notes/writing/trash.ts'
import { deleteLive } from '../../../records/rows/writing/one-record.ts'
import { RowWriters } from '../../../records/rows/writing/row-writer.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { changedNoteId } from '../names.ts'
import * as schema from '../schema.ts'
import { fitted } from '../text/fit.ts'
import { andMore, count, given, writtenAs } from '../text/markdown.ts'
import { callerFor, longWriteTool, writeTool } from '../tool.ts'

/** Moves a note to the trash, resolved like the target of a link; returns its id. */
function trash(tx: Tx, caller: Caller, named: string): string {
  const reaching = callerFor(caller, 'notes')
  const id = changedNoteId(tx, reaching, named)
  checkWrite(caller.rights, 'notes')
  putInTrash(tx, reaching, id)
  return id
}

function deleteRecord(tx: Tx, caller: Caller, id: string): string {
  deleteLive(new RowWriters(tx, caller), id)
  return id
}

export const deleteTool = writeTool({
  name: 'delete',
  covers: 'several',
  description: 'Put a note into the trash, or delete a record; undo brings it back.',
  isDestructive: true,
  input: strict({ kind: choice(['note', 'record']), id: schema.name() }),
  output: schema.output({ deleted: Type.Boolean(), id: Type.String(), transaction: schema.transaction() }),
  run: (tx, caller, { kind, id: named }) => {
    const id = kind === 'record' ? deleteRecord(tx, caller, named) : trash(tx, caller, named)
    const data = { deleted: true, id, transaction: transactionCursor(tx, caller.workspacePk) }
    return { text: `Deleted the ${kind} ${id}, ${writtenAs(data.transaction)}`, data }
  },
})

export const undoTool = longWriteTool({
  name: 'undo',
  covers: 'several',
  description: 'Undo all note and record changes of a transaction; refused if something was touched since.',
  input: strict({ transaction: text({ minLength: 1, maxLength: 64 }), dry_run: schema.dryRun() }),
  output: schema.output({ undone: schema.list(), transaction: schema.transaction() }),
  isTrial: ({ dry_run: isDryRun = false }) => isDryRun,
  run: (tx, caller, { transaction: undid, dry_run: isDryRun = false }) => {
    const body = { transaction: undid, dry_run: isDryRun }
    const { undone, transaction: id } = undo.run(tx, caller, { body })
    return fitted(undone, (items) => ({
      text: given(
        `${count(undone.length, 'change')} undone; ${writtenAs(id, isDryRun)}`,
        items.map(({ kind, id: object, op }) => `- ${kind} ${object} ${op}`),
        andMore(items.length, undone.length),
      ).join('\n'),
      data: { undone: items.map(({ kind, id: object, op }) => ({ kind, id: object, op })), transaction: id },
    }))
  },
})
