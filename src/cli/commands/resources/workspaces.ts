import { isoTimestamp } from '../../../lib/dates.ts'
import { listWorkspaces } from '../../../people/accounts/store.ts'
import { addWorkspace } from '../../../people/administration.ts'
import { type Command, DB_FLAG, flag, JSON_FLAG, textFlag } from '../../command.ts'
import { administer, withDatabase } from '../../open-database.ts'
import { listCommand, show } from '../../output.ts'

const workspacesAdd: Command = {
  name: 'workspaces add',
  summary: 'Create an empty workspace.',
  parameters: ['<name>'],
  flags: [
    flag('--user <name>', 'the owner (default the only user)', { formerName: 'owner' }),
    JSON_FLAG,
    DB_FLAG,
  ],
  remarks: ['Workspaces share the database file and nothing else: a key gives access to exactly one.'],
  examples: ['daybook workspaces add Work', 'daybook workspaces add Lab --user mira --json'],
  run: (input, io) =>
    administer(input, io, async (_db, call) => {
      const [name = ''] = input.args
      const { workspace, owner } = await call(addWorkspace, { name, owner: textFlag(input, 'user') })
      const { id, createdAt } = workspace
      const created = { id, name: workspace.name, owner: owner.name, created_at: isoTimestamp(createdAt) }
      return show(input, io, created, () =>
        io.status(`The workspace "${created.name}" was created; its owner is "${owner.name}".\n`),
      )
    }),
}

const workspacesList = listCommand({
  of: 'workspaces',
  summary: 'List the workspaces and how many notes each holds.',
  read: (input, io) =>
    withDatabase(input, io, (db) =>
      listWorkspaces(db).map((row) => ({
        id: row.id,
        name: row.name,
        notes: row.liveNotes,
        trashed_notes: row.trashedNotes,
        created_at: isoTimestamp(row.createdAt),
      })),
    ),
  columns: { ID: ({ id }) => id, NAME: ({ name }) => name, NOTES: ({ notes }) => String(notes) },
})

export const workspacesCommands: readonly Command[] = [workspacesAdd, workspacesList]
