import { RUN_BACKUPS } from '../../../operation/backups/process.ts'
import { STREAM_BACKUPS } from '../../../operation/backups/stream/messages.ts'
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

/** Started by the server itself, for one target of `--backup-stream`. */
export const streamBackups: Command = {
  name: STREAM_BACKUPS,
  summary: 'Upload the write-ahead log to one target; the server runs this itself.',
  flags: [],
  examples: [],
  run: async (_input, io) => {
    const { performStream } = await import('../../stream-process.ts')
    await performStream(io)
    return 0
  },
}
