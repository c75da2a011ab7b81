import { RUN_BACKUPS } from '../../../operation/backups/process.ts'
import type { Command } from '../../command.ts'

/** Started by the server itself, for one target. */
export const runBackups: Command = {
  name: RUN_BACKUPS,
  summary: 'Back up to one target if that is due; the server runs this itself.',
  flags: [],
  examples: [],
  run: async (_input, io) => {
    const { performOrder } = await import('../../backup-process.ts')
    await performOrder(io)
    return 0
  },
}
