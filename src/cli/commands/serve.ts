import { CHECKPOINTS, type Flags, readConfig } from '../../config.ts'
import { LOG_LEVELS } from '../../lib/log.ts'
import { type Command, DB_FLAG } from '../command.ts'

const LAST_MESSAGES_MS = 1_000
/** Longer than everything that stopping waits for. */
const STOP_AT_MOST_MS = 20_000

export const serve: Command = {
  name: 'serve',
  summary: 'Run the server.',
  flags: [
    DB_FLAG,
    { name: 'host', value: 'address', help: 'the address to listen on (default 127.0.0.1)', isSetting: true },
    {
      name: 'port',
      value: 'number',
      help: 'the port to listen on, 0 for any free one (default 8787)',
      isSetting: true,
    },
    {
      name: 'public-url',
      value: 'url',
      help: 'where people reach the application, such as https://daybook.example.com',
      isRepeatable: true,
      isSetting: true,
    },
    {
      name: 'trusted-proxy',
      value: 'address',
      help: 'trust X-Forwarded-For from a proxy at this address or range',
      isRepeatable: true,
      isSetting: true,
    },
    {
      name: 'cors-origin',
      value: 'origin',
      help: 'allow pages of this origin to call the API',
      isRepeatable: true,
      isSetting: true,
    },
    {
      name: 'rate-limit',
      value: 'number',
      help: 'requests per minute and key (default no limit)',
      isSetting: true,
    },
    {
      name: 'log-level',
      value: 'level',
      help: `${LOG_LEVELS.join(', ')} (default info)`,
      choices: LOG_LEVELS,
      isSetting: true,
    },
    {
      name: 'checkpoint',
      value: 'when',
      help: 'auto, or off when another program replicates the file (default auto)',
      choices: CHECKPOINTS,
      isSetting: true,
    },
    {
      name: 'backup-dir',
      value: 'folder',
      help: 'make verified backups in this folder, the first at once if the newest is old',
      isSetting: true,
    },
    {
      name: 'backup-every',
      value: 'time',
      help: 'the time between backups, such as 30m, 24h or 7d (default 24h)',
      isSetting: true,
    },
    {
      name: 'backup-keep',
      value: 'number',
      help: 'how many backups to keep; older ones are removed (default 7)',
      isSetting: true,
    },
    {
      name: 'keep-changes',
      value: 'time',
      help: 'how long the change log is kept, at least 1d (default 30d)',
      isSetting: true,
    },
    {
      name: 'webhook-allow',
      value: 'target',
      help: 'allow webhooks to call this host[:port], address or range, also over http',
      isRepeatable: true,
      isSetting: true,
    },
    {
      name: 'webhook-ca',
      value: 'file',
      help: 'certificates (PEM) to trust in deliveries, in addition to the usual roots',
      isSetting: true,
    },
  ],
  remarks: [
    'In an empty database it creates the user "owner", the workspace "Personal" and a write key, which is printed on',
    'stderr once, with a link to sign in to the application. When ready it prints one line on stdout: daybook listening on http://<host>:<port>. SIGTERM, SIGINT or',
    'SIGHUP stops it: watches are closed, running requests and deliveries are finished (within 10 seconds), then it',
    'exits 0. It also stops, and exits 1, when a file of its database is replaced or removed, or the disk loses a write.',
    'Where the disk does not respond, it ends by SIGKILL once it has stopped.',
  ],
  examples: ['daybook serve', 'daybook serve --db /srv/daybook.db --host 0.0.0.0 --port 80'],
  run: async (input, io) => {
    const config = readConfig(io.env, withLogLevel(input.flags))
    const { startServer } = await import('../../server.ts')
    const server = await startServer(config, (message) => io.err(message))
    // Installed first, because the reader of the line may send a signal at once.
    const askedToEnd = io.untilAskedToEnd()
    io.out(`daybook listening on ${server.url}\n`)
    const lost = await Promise.race([askedToEnd, server.lost])
    io.endWithin(STOP_AT_MOST_MS, 1)
    let isClosed = true
    try {
      isClosed = await server.stop()
    } finally {
      if (isClosed) io.endWithin(LAST_MESSAGES_MS)
      else io.killAfter(LAST_MESSAGES_MS)
    }
    if (lost === undefined) return 0
    io.err(`${lost}\n`)
    return 1
  },
}

/** `--quiet` and `--verbose` are levels of the log, which `--log-level` itself overrides. */
const withLogLevel = (flags: Flags): Flags => {
  const level = flags.quiet ? 'warn' : flags.verbose ? 'debug' : undefined
  return level === undefined ? flags : { 'log-level': level, ...flags }
}
