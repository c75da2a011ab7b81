import { type Command, DB_FLAG, JSON_FLAG, WORKSPACE_FLAG } from '../command.ts'
import { commandCaller, inWorkspace } from '../open-database.ts'
import { countsInWords, printJson, progressOn } from '../output.ts'

/** Imported only when needed, because it loads most of the service. */
const workspaceExport = () => import('../../portability/workspace/export.ts')

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write a workspace as plain files.',
  parameters: ['<folder>'],
  flags: [WORKSPACE_FLAG, JSON_FLAG, DB_FLAG],
  remarks: [
    'Notes become Markdown with front matter; each structure a JSON file, and its rows a file of JSON lines; files stay',
    'as they are; everything else is JSON. The export is one consistent snapshot, also while a server runs. The folder',
    'must be new or empty. Not exported: revisions, deliveries, users, keys and the secrets of webhooks.',
  ],
  examples: ['daybook export notebook', 'daybook export /backup/work --workspace Work'],
  run: (input, io) =>
    inWorkspace(input, io, async (db, workspace) => {
      const [folder = ''] = input.args
      const { exportWorkspace } = await workspaceExport()
      const progress = progressOn(io, 'notes')
      const counts = exportWorkspace(db, commandCaller(workspace), folder, progress.show)
      progress.end()
      if (input.flags.json) printJson(io, { folder, counts })
      else io.out(`${folder} holds ${countsInWords(counts)}.\n`)
      return 0
    }),
}
