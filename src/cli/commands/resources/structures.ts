import { isoTimestamp } from '../../../lib/dates.ts'
import { type Command, DB_FLAG, JSON_FLAG, WORKSPACE_FLAG, WrongUsage } from '../../command.ts'
import { commandCaller, inWorkspace } from '../../open-database.ts'
import { printJson, printTable } from '../../output.ts'
import { checkStructure } from '../../structure-name.ts'

/** Imported only when needed, because they load the records. */
const store = () => import('../../../structures/store.ts')
const deletion = () => import('../../../structures/deletion.ts')
const loadFeatures = () => import('../../../features.ts')

export const structuresList: Command = {
  name: 'structures list',
  summary: 'List the structures of a workspace and how many rows each holds.',
  flags: [WORKSPACE_FLAG, JSON_FLAG, DB_FLAG],
  examples: ['daybook structures list', 'daybook structures list --workspace Work --json'],
  run: (input, io) =>
    inWorkspace(input, io, async (db, workspace) => {
      const { listStructureRows } = await store()
      const structures = listStructureRows(db, workspace.pk).map((row) => ({
        id: row.id,
        name: row.name,
        record_count: row.live,
        created_at: isoTimestamp(row.createdAt),
      }))
      if (input.flags.json) printJson(io, { structures })
      else {
        const rows = structures.map(({ id, name, record_count }) => [id, name, String(record_count)])
        printTable(io, ['ID', 'NAME', 'ROWS'], rows)
      }
      return 0
    }),
}

export const structuresDelete: Command = {
  name: 'structures delete',
  summary: 'Delete a structure permanently, with its rows and webhooks.',
  parameters: ['<name-or-id>'],
  flags: [{ name: 'yes', help: 'confirm the deletion' }, WORKSPACE_FLAG, DB_FLAG],
  remarks: ['Works while a server runs; watches of the structure are closed.'],
  examples: ['daybook structures delete Expenses --yes'],
  run: (input, io) => {
    const [nameOrId = ''] = input.args
    if (input.flags.yes !== true) {
      throw new WrongUsage(`This deletes "${nameOrId}" and all its rows permanently; give --yes to do it.`)
    }
    return inWorkspace(input, io, async (db, workspace) => {
      const [{ deleteStructure }, { features }] = await Promise.all([deletion(), loadFeatures()])
      const caller = commandCaller(workspace)
      await checkStructure(db, caller, nameOrId)
      const id = await deleteStructure({ db, features }, caller, nameOrId)
      io.status(`The structure ${id} was deleted.\n`)
      return 0
    })
  },
}
