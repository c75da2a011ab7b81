import { type Command, DB_FLAG, JSON_FLAG, WORKSPACE_FLAG } from './command.ts'
import { countsInWords } from './counts.ts'
import { progressOn } from './progress.ts'
import { printJson } from './table.ts'
import { commandCaller, inWorkspace } from './workspace.ts'

/** Loaded late: it brings the whole of the service with it. */
const transfer = () => import('../portability/workspace/export.ts')

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write a workspace as plain files.',
  parameters: ['<folder>'],
  flags: [WORKSPACE_FLAG, JSON_FLAG, DB_FLAG],
  remarks: [
    'Notes become Markdown with front matter, each structure a JSON file and its rows a file of JSON lines, files',
    'what they were, the rest JSON; all of one moment, also beside a running server. The folder must be new or empty.',
    'Left out: revisions, deliveries, people, keys and the secrets of webhooks.',
  ],
  examples: ['daybook export notebook', 'daybook export /backup/work --workspace Work'],
  run: (input, io) =>
    inWorkspace(input, io, async (db, workspace) => {
      const [folder = ''] = input.args
      const { exportWorkspace } = await transfer()
      const progress = progressOn(io, 'notes')
      const counts = exportWorkspace(db, commandCaller(workspace), folder, progress.show)
      progress.end()
      if (input.flags.json) printJson(io, { folder, counts })
      else io.out(`${folder} holds ${countsInWords(counts)}.\n`)
      return 0
    }),
}
