import { VERSION } from '../../lib/version.ts'
import type { Command } from '../command.ts'

export const version: Command = {
  name: 'version',
  summary: 'Print the version of this program.',
  flags: [],
  examples: ['daybook version'],
  run: async (_input, io) => {
    io.out(`${VERSION}\n`)
    return 0
  },
}
