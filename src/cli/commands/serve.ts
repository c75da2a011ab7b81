import { CHECKPOINTS, type Config, readConfig } from '../../config.ts'
import { LOG_LEVELS } from '../../lib/log.ts'
import type { Flags } from '../../lib/settings.ts'
import { type Command, DB_FLAG, setting } from '../command.ts'
import { runUntilSignal } from '../run-until-signal.ts'
import { STORE_FLAGS } from './database/backups.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'Run the server.',
  flags: [
    DB_FLAG,
    setting('--host <address>', 'the address to listen on (default 127.0.0.1)'),
    setting('--port <number>', 'the port to listen on, 0 for any free one (default 8787)'),
    setting(
      '--public-url <url>',
      'the address of the application for its users, such as https://daybook.example.com',
      {
        isRepeatable: true,
      },
    ),
    setting('--trusted-proxy <address>', 'trust X-Forwarded-For from a proxy at this address or range', {
      isRepeatable: true,
    }),
    setting('--cors-origin <origin>', 'allow pages of this origin to call the API', { isRepeatable: true }),
    setting('--rate-limit <number>', 'requests per minute and key (default no limit)'),
    setting(
      '--form-bytes-per-day <size>',
      'the most that forms of a workspace can write in a day, such as 500MiB (default 1GiB)',
    ),
    setting('--log-level <level>', `${LOG_LEVELS.join(', ')} (default info)`, { choices: LOG_LEVELS }),
    setting('--checkpoint <when>', 'auto, or off when another program replicates the file (default auto)', {
      choices: CHECKPOINTS,
    }),
    setting(
      '--backup-dir <target>',
      'write verified backups to this folder or to s3://bucket/prefix, the first at once if the newest is old',
      { isRepeatable: true },
    ),
    setting('--backup-every <time>', 'the time between backups, such as 30m, 24h or 7d (default 24h)'),
    setting(
      '--backup-keep <number>',
      'how many backups each target keeps; older ones are removed (default 7)',
    ),
    ...STORE_FLAGS,
    setting('--backup-recipient <recipient>', 'encrypt backups in buckets to this age recipient, age1…', {
      isRepeatable: true,
    }),
    setting(
      '--backup-drill <time>',
      'restore the latest backup of each target this often and check it, such as 7d',
    ),
    setting(
      '--backup-stream',
      'upload every commit to the buckets within 2 seconds, in segments between two backups',
    ),
    setting('--backup-identity <file>', 'the age identity file with which drills open encrypted backups'),
    setting('--keep-changes <time>', 'how long the change log is kept, at least 1d (default 30d)'),
    setting(
      '--webhook-allow <target>',
      'allow webhooks to call this host[:port], address or range, also over http',
      { isRepeatable: true },
    ),
    setting('--webhook-ca <file>', 'additional certificates (PEM) to trust for deliveries'),
    setting('--oidc-issuer <url>', 'an OpenID Connect provider for signing in; needs --public-url'),
    setting('--oidc-client-id <id>', 'the client id of this server at the provider'),
    setting('--oidc-client-secret-file <file>', 'a file with the client secret from the provider'),
    setting('--oidc-name <text>', 'the label of the button (default Sign in with <host>)'),
    setting(
      '--oidc-role-claim <claim=value:role,…>',
      'roles by claim value: groups=admins:owner,staff:editor',
    ),
    setting('--oidc-workspace <name>', 'the workspace of these roles (default the first)'),
    setting('--oidc-ca <file>', 'additional certificates (PEM) to trust for the provider'),
  ],
  remarks: [
    'In an empty database it creates the user "owner", the workspace "Personal" and a write key, which is printed on',
    'stderr once, with a link to sign in to the application. When ready it prints one line on stdout: daybook',
    'listening on http://<host>:<port>.',
    '',
    'SIGTERM, SIGINT or SIGHUP stops it: it closes watches, finishes running requests and deliveries (within 10',
    'seconds) and exits 0. It stops and exits 1 when a file of its database is replaced or removed, or the disk loses',
    'a write. If the disk does not respond, it ends by SIGKILL once it has stopped.',
  ],
  examples: ['daybook serve', 'daybook serve --db /srv/daybook.db --host 0.0.0.0 --port 80'],
  run: async (input, io) => {
    const config = readConfig(io.env, withLogLevel(input.flags))
    await checkBackups(config.backup)
    const { startServer } = await import('../../server.ts')
    const server = await startServer(config, (message) => io.err(message))
    return runUntilSignal(server, io)
  },
}

/** Refuses recipients that are not age's before anything is written. */
async function checkBackups(backup: Config['backup']): Promise<void> {
  if (!backup || backup.recipients.length === 0) return
  const { checkRecipients } = await import('../../operation/backups/encoding.ts')
  await checkRecipients(backup.recipients)
}

/** `--quiet` and `--verbose` are log levels, which `--log-level` overrides. */
const withLogLevel = (flags: Flags): Flags => {
  const level = flags.quiet ? 'warn' : flags.verbose ? 'debug' : undefined
  return level === undefined ? flags : { 'log-level': level, ...flags }
}
