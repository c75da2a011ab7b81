import { isoTimestamp } from '../../../lib/dates.ts'
import { type Command, DB_FLAG, flag, WORKSPACE_FLAG, WrongUsage } from '../../command.ts'
import { checkStructure, inWorkspace } from '../../open-database.ts'
import { listCommand } from '../../output.ts'

const store = () => import('../../../records/structures/store.ts')

const structuresList = listCommand({
  of: 'structures',
  summary: 'List the structures of a workspace and how many rows each holds.',
  flags: [WORKSPACE_FLAG],
  examples: ['daybook structures list', 'daybook structures list --workspace Work --json'],
  read: (input, io) =>
    inWorkspace(input, io, async (db, caller) =>
      (await store()).listStructureRows(db, caller).map((row) => ({
        id: row.id,
        name: row.name,
        record_count: row.live,
        created_at: isoTimestamp(row.createdAt),
      })),
    ),
  columns: {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    ROWS: ({ record_count }) => String(record_count),
  },
})

const structuresDelete: Command = {
  name: 'structures delete',
  summary: 'Delete a structure permanently, with its rows and webhooks.',
  parameters: ['<name-or-id>'],
  flags: [flag('--yes', 'confirm the deletion'), WORKSPACE_FLAG, DB_FLAG],
  remarks: ['Works while a server runs; watches of the structure are closed.'],
  examples: ['daybook structures delete Expenses --yes'],
  run: (input, io) => {
    const [nameOrId = ''] = input.args
    if (input.flags.yes !== true) {
      throw new WrongUsage(`This deletes "${nameOrId}" and all its rows permanently; confirm with --yes.`)
    }
    return inWorkspace(input, io, async (db, caller, call) => {
      const [{ structureDeletion }, { getStructure }, { rowIndexRemoval, rowRemoval }, { settle }] =
        await Promise.all([
          import('../../../events/structure-deletion.ts'),
          store(),
          import('../../../records/structures/deletion.ts'),
          import('../../../kernel/job-steps.ts'),
        ])
      await checkStructure(db, caller, nameOrId)
      const { pk, id, name } = getStructure(db, caller, nameOrId, 'change')
      await call(structureDeletion, { id, body: { name } })
      // No server may be running to remove the rows later.
      await settle({ db }, rowIndexRemoval, pk)
      await settle({ db }, rowRemoval, pk)
      io.status(`The structure ${id} was deleted.\n`)
      return 0
    })
  },
}

export const structuresCommands: readonly Command[] = [structuresList, structuresDelete]
