import { readDatabaseFile } from '../../../config.ts'
import { inspectDatabase } from '../../../db/connection/inspect.ts'
import { findServerUrl } from '../../../sessions/store.ts'
import { type Command, DB_FLAG, JSON_FLAG, textFlag } from '../../command.ts'
import { printJson } from '../../output.ts'
import { askHealth } from './server-health.ts'

export const health: Command = {
  name: 'health',
  summary: 'Ask the running server whether it works.',
  flags: [
    { name: 'url', value: 'url', help: 'the server (default the one of the database)' },
    JSON_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'Prints "ok", or what is wrong and exits 1. Made for the health check of a container: it opens the database only to find',
    'out where its server listens.',
  ],
  examples: ['daybook health', 'daybook health --url http://127.0.0.1:8787'],
  run: async (input, io) => {
    const url =
      textFlag(input, 'url') ??
      inspectDatabase(readDatabaseFile(io.env, input.flags), (reader) => findServerUrl(reader))
    const found = await askHealth(url)
    if (input.flags.json) printJson(io, found)
    else if (found.status === 'ok') io.out(found.backup === 'failed' ? 'ok, but the backups fail\n' : 'ok\n')
    else io.err(`${found.error}\n`)
    return found.status === 'ok' ? 0 : 1
  },
}
