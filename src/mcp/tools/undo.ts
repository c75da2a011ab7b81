import { Type } from '@sinclair/typebox'
import { checkWrite } from '../../access/rights.ts'
import { undo } from '../../change-feed/undo.ts'
import { transactionCursor } from '../../changes/cursors.ts'
import { type Caller, placeFor } from '../../context.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { choice, strict, text } from '../../http/schema/types.ts'
import { putInTrash } from '../../notes/writing/trash.ts'
import { deleteLive } from '../../records/writing/one-record.ts'
import { changedNoteId } from '../names.ts'
import { dryRun, list, name, output, transaction } from '../schema.ts'
import { fitted } from '../text/fit.ts'
import { andMore, count, given, writtenAs } from '../text/markdown.ts'
import { tool } from '../tool.ts'

interface Deleted {
  readonly deleted: true
  readonly id: string
  readonly transaction: string | null
}

const deletedIn = (tx: Tx, { workspacePk }: Caller, id: string): Deleted => ({
  deleted: true,
  id,
  transaction: transactionCursor(tx, workspacePk),
})

export const deleteTool = tool({
  name: 'delete',
  covers: 'several',
  description: 'Put a note into the trash, or delete a record; undo brings it back.',
  writes: true,
  isDestructive: true,
  input: strict({ kind: choice(['note', 'record']), id: name() }),
  output: output({ deleted: Type.Boolean(), id: Type.String(), transaction: transaction() }),
  run: async (ctx, caller, { kind, id }) => {
    const deleted = await ctx.db.write((tx): Deleted => {
      if (kind === 'record') {
        deleteLive(ctx.bus, tx, caller, id)
        return deletedIn(tx, caller, id)
      }
      const found = changedNoteId(tx, placeFor(caller, 'notes'), id)
      checkWrite(caller.rights, 'notes')
      putInTrash(ctx, tx, caller, found)
      return deletedIn(tx, caller, found)
    })
    return { text: `Deleted the ${kind} ${deleted.id}, ${writtenAs(deleted.transaction)}`, data: deleted }
  },
})

export const undoTool = tool({
  name: 'undo',
  covers: 'several',
  description: 'Undo all note and record changes of a transaction; refused if something was touched since.',
  writes: true,
  input: strict({ transaction: text({ minLength: 1, maxLength: 64 }), dry_run: dryRun() }),
  output: output({ undone: list(), transaction: transaction() }),
  run: async (ctx, caller, input) => {
    const { undone, transaction: id } = await undo(ctx, caller, input)
    return fitted(undone, (items) => ({
      text: given(
        `${count(undone.length, 'change')} undone; ${writtenAs(id, input.dry_run)}`,
        items.map(({ kind, id: object, op }) => `- ${kind} ${object} ${op}`),
        andMore(items.length, undone.length),
      ).join('\n'),
      data: { undone: items.map(({ kind, id: object, op }) => ({ kind, id: object, op })), transaction: id },
    }))
  },
})
