import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../config.ts'
import { newToken } from '../../people/sessions/cookie.ts'
import { DATABASE_SUFFIXES } from '../../storage/file-names.ts'
import { type Command, flag } from '../command.ts'
import { runUntilSignal } from '../run-until-signal.ts'

export const demo: Command = {
  name: 'demo',
  summary: 'Run a server with a sample workspace, which is deleted when it stops.',
  flags: [flag('--read-only', 'make the demo read-only for the person who opens the link')],
  remarks: [
    'Prints a link that signs in without a password, on a free port of this machine. The database is in the folder for',
    'temporary files; it reads no setting and writes nothing else. SIGTERM, SIGINT or SIGHUP ends it.',
  ],
  examples: ['daybook demo', 'daybook demo --read-only'],
  run: async (input, io) => {
    const signal = io.untilSignal()
    const db = join(tmpdir(), `daybook-demo-${crypto.randomUUID()}.db`)
    const config = readConfig({}, { db, port: '0', 'log-level': 'warn' })
    const [{ seed, VIEWER }, { DEMO_PATH }, { startServer }] = await Promise.all([
      import('../demo/seed.ts'),
      import('../../people/sessions/routes.ts'),
      import('../../server.ts'),
    ])
    try {
      const isReadOnly = input.flags['read-only'] === true
      await seed(config, isReadOnly)
      const link = { user: isReadOnly ? VIEWER : 'owner', token: newToken() }
      const server = await startServer({ ...config, demo: link }, (message) => io.err(message))
      io.status(
        'A sample workspace of an imaginary workshop. Open this link to explore it; Ctrl+C stops and deletes it.\n',
      )
      io.out(`${server.url}${DEMO_PATH}/${link.token}\n`)
      return await runUntilSignal(server, io, signal)
    } finally {
      for (const suffix of DATABASE_SUFFIXES) rmSync(db + suffix, { force: true })
    }
  },
}
