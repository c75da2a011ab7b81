import { existsSync } from 'node:fs'
import { readConfig, readDatabaseFile, readKey } from '../../config.ts'
import { takeServerLock } from '../../db/connection/server-lock.ts'
import { features } from '../../features.ts'
import { systemClock } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { upgradeDerived } from '../../maintenance/upgrade.ts'
import { detach } from '../../mirror/detach.ts'
import type { MirrorEvent } from '../../mirror/event-forwarding.ts'
import { type MirrorRequest, prepareCopy, startFollowing, updateCopy } from '../../mirror/mirror.ts'
import { Remote } from '../../mirror/remote.ts'
import { getState, statusOf } from '../../mirror/status.ts'
import { type Verification, verifyCopy } from '../../mirror/verify.ts'
import { fail, refused } from '../../refusal.ts'
import { checkedBaseUrl } from '../base-url.ts'
import { type Command, type Input, JSON_FLAG, SECRET_FLAG, textFlag, WrongUsage } from '../command.ts'
import type { Io } from '../io.ts'
import { readForwarder } from '../listen/command.ts'
import { type Forwarder, outcomeText } from '../listen/forward.ts'
import { withDatabaseFile } from '../open-database.ts'
import { printJson, printTable } from '../output.ts'

const DEFAULTS = { db: 'mirror.db', port: '8788' }

const DB_FLAG = {
  name: 'db',
  value: 'file',
  help: `the database file of the copy (default ${DEFAULTS.db})`,
  isSetting: true,
}

const LAST_MESSAGES_MS = 1_000
const STOP_AT_MOST_MS = 20_000
const PROGRESS_EVERY = 50_000

/** The flags with the defaults of a mirror, which are not those of a server. */
const withDefaults = ({ flags }: Input, io: Io) => ({
  ...(io.env.DAYBOOK_DB ? {} : { db: DEFAULTS.db }),
  ...(io.env.DAYBOOK_PORT ? {} : { port: DEFAULTS.port }),
  ...flags,
  host: '127.0.0.1',
})

const databaseOf = (input: Input, io: Io): string => readDatabaseFile(io.env, withDefaults(input, io))

function remoteOf(url: string, io: Io, signal: AbortSignal): Remote {
  const key = readKey(io.env, {})
  if (key === undefined) throw new WrongUsage('A mirror needs the key of the remote in DAYBOOK_KEY.')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new WrongUsage('DAYBOOK_KEY must be an API key, such as dbk_….')
  return new Remote({ url, key, clock: systemClock, signal })
}

const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

function selectionOf(input: Input): MirrorRequest['selection'] {
  const structures = textFlag(input, 'structures')
  return {
    structures: structures === undefined ? null : listOf(structures),
    hasFiles: textFlag(input, 'files') !== 'none',
    omitFields: listOf(textFlag(input, 'omit-fields')),
  }
}

/** Says what became of each event; one that nobody answered is posted again. */
function posterOf(forwarder: Forwarder, io: Io): MirrorRequest['post'] {
  let isAway = false
  return async ({ id, type, record, body }: MirrorEvent) => {
    const outcome = await forwarder.send({ id, type, body })
    const isNews = outcome.status !== null || !isAway
    isAway = outcome.status === null
    if (isNews) io.err(`${type} ${record}: ${outcomeText(outcome)}\n`)
    return !isAway
  }
}

function requestOf(input: Input, io: Io, signal: AbortSignal): MirrorRequest {
  if (input.flags.once && textFlag(input, 'forward') !== undefined)
    throw new WrongUsage('"mirror" takes --once or --forward, not both: events are posted while it runs.')
  const config = readConfig(io.env, withDefaults(input, io))
  const forwarder = readForwarder(input, io)
  signal.addEventListener('abort', () => forwarder?.close())
  let shown = 0
  return {
    config,
    remote: remoteOf(checkedBaseUrl(input.args[0] ?? '', '<url>'), io, signal),
    selection: selectionOf(input),
    clock: systemClock,
    log: createLog(config.logLevel, systemClock, (lines) => io.err(lines)),
    features,
    signal,
    post: forwarder && posterOf(forwarder, io),
    afterUpgrade: upgradeDerived,
    onProgress: (objects) => {
      if (objects < shown + PROGRESS_EVERY) return
      shown = objects
      io.status(`Copying: ${objects.toLocaleString('en-US')} objects\n`)
    },
  }
}

const firstKey = (
  file: string,
  key: string,
) => `The copy in ${file} can be read with this key, which is shown only now:

  ${key}

`

const lostEvents = (count: number): string =>
  `Events that waited to be posted: ${count}. They are not posted any more: the copy now leaves out other things.\n`

export const mirror: Command = {
  name: 'mirror',
  summary: 'Keep and serve a read-only copy of a remote workspace on this machine.',
  parameters: ['<url>'],
  flags: [
    DB_FLAG,
    {
      name: 'port',
      value: 'number',
      help: `the port to listen on, 0 for any free one (default ${DEFAULTS.port})`,
      isSetting: true,
    },
    { name: 'once', help: 'copy, or bring the copy up to date, and end' },
    {
      name: 'structures',
      value: 'names',
      help: 'copy the rows of these structures only, with commas between them',
    },
    {
      name: 'files',
      value: 'what',
      help: 'all, or none to leave out the bytes of files (default all)',
      choices: ['all', 'none'],
    },
    {
      name: 'omit-fields',
      value: 'fields',
      help: "fields that never reach this machine's disk, such as Customers.email,Customers.phone",
    },
    {
      name: 'forward',
      value: 'url',
      help: 'post each change of a record to this URL, as a webhook delivery',
    },
    SECRET_FLAG,
  ],
  remarks: [
    'DAYBOOK_KEY holds a key of the remote; scope read is enough, and nothing is written there. The first start makes the',
    'copy and prints a read-only key for it. Then the remote is followed: what is committed there is in the copy within a',
    'second, whole transactions at a time, also after a broken connection or a restart. The trash, deleted rows, revisions',
    'and deliveries are not copied; subscriptions arrive disabled and without secrets. With other --structures, --files or',
    '--omit-fields than before everything is copied anew. An event that is forwarded is posted until somebody answers.',
  ],
  examples: [
    'DAYBOOK_KEY=dbk_… daybook mirror https://daybook.example.com',
    'DAYBOOK_KEY=dbk_… daybook mirror https://daybook.example.com --omit-fields Customers.email --once',
    'DAYBOOK_KEY=dbk_… daybook mirror https://daybook.example.com --forward http://localhost:3000/hook',
  ],
  run: async (input, io) => {
    const stop = new AbortController()
    const request = requestOf(input, io, stop.signal)
    // A copy that is interrupted begins again.
    const asked = io.untilAskedToEnd().then(() => 'stop' as const)
    const prepared = await Promise.race([prepareCopy(request), asked])
    if (prepared === 'stop') return abandon(stop, io)
    const { db: file } = request.config
    if (prepared.key !== undefined) io.err(firstKey(file, prepared.key))
    if (prepared.lostEvents > 0) io.err(lostEvents(prepared.lostEvents))
    if (!input.flags.once) return serveMirror(request, io, asked, stop)
    if (!prepared.isNew) await updateCopy(request)
    io.status(`${file} is a copy of ${request.remote.url}.\n`)
    stop.abort()
    io.endWithin(LAST_MESSAGES_MS)
    return 0
  },
}

function abandon(stop: AbortController, io: Io): number {
  stop.abort()
  io.err('The copy was not completed; the next start begins it again.\n')
  io.endWithin(LAST_MESSAGES_MS, 1)
  return 1
}

async function serveMirror(
  request: MirrorRequest,
  io: Io,
  asked: Promise<'stop'>,
  stop: AbortController,
): Promise<number> {
  const { startServer } = await import('../../server.ts')
  const server = await startServer(request.config, (message) => io.err(message), {
    start: (ctx) => startFollowing(ctx, request),
  })
  io.out(`daybook listening on ${server.url}\n`)
  const isLost = await Promise.race([asked.then(() => false), server.lost.then(() => true)])
  io.endWithin(STOP_AT_MOST_MS, 1)
  stop.abort()
  try {
    await server.stop()
  } finally {
    io.endWithin(LAST_MESSAGES_MS)
  }
  return isLost ? 1 : 0
}

/** Runs on the database of a copy, which must exist. */
const withCopy = <T>(input: Input, io: Io, use: Parameters<typeof withDatabaseFile<T>>[2]): Promise<T> => {
  const file = databaseOf(input, io)
  if (!existsSync(file)) throw refused(`There is no copy at ${file}; "daybook mirror <url>" makes one.`)
  return withDatabaseFile(file, io, use)
}

export const mirrorStatus: Command = {
  name: 'mirror status',
  summary: 'Show where a copy is: its remote, how far behind it is, and what it holds.',
  flags: [JSON_FLAG, DB_FLAG],
  remarks: ['Exits 1 when the copy has not followed its remote for a minute.'],
  examples: ['daybook mirror status', 'daybook mirror status --db mirror.db --json'],
  run: (input, io) =>
    withCopy(input, io, (db) => {
      const { isFollowing, status } = statusOf(db, features, db.file, systemClock.now())
      if (input.flags.json) printJson(io, status)
      else {
        const { remote, workspace, lag_ms, last_contact_at, counts } = status
        io.out(`Copy of "${workspace.name}" at ${remote}\n`)
        io.out(
          `${isFollowing ? 'Follows' : 'Does not follow'}; ${lag_ms} ms behind, last contact ${last_contact_at}\n`,
        )
        printTable(
          io,
          ['KIND', 'COUNT'],
          Object.entries(counts).map(([kind, count]) => [kind, String(count)]),
        )
      }
      return isFollowing ? 0 : 1
    }),
}

export const mirrorVerify: Command = {
  name: 'mirror verify',
  summary: 'Compare every object of a copy with the remote.',
  flags: [JSON_FLAG, DB_FLAG],
  remarks: [
    'DAYBOOK_KEY holds a key of the remote. Works beside a running mirror, which may be some seconds behind; objects that',
    'change meanwhile are left out. The bytes and the text of every file are read again. Exits 1 when anything differs.',
  ],
  examples: ['DAYBOOK_KEY=dbk_… daybook mirror verify', 'DAYBOOK_KEY=dbk_… daybook mirror verify --json'],
  run: (input, io) =>
    withCopy(input, io, async (db) => {
      const stop = new AbortController()
      const remote = remoteOf(getState(db, db.file).remote, io, stop.signal)
      const verification = await verifyCopy(db, remote)
      if (input.flags.json) printJson(io, presentVerification(verification))
      else printVerification(verification, io)
      return verification.isIdentical ? 0 : 1
    }),
}

const presentVerification = ({ isIdentical, missing, kinds }: Verification) => ({
  identical: isIdentical,
  missing_changes: missing,
  kinds: kinds.map(({ kind, remote, copy, remoteDigest, copyDigest, differing }) => ({
    kind,
    remote: { count: remote, digest: remoteDigest },
    copy: { count: copy, digest: copyDigest },
    differing,
  })),
})

function printVerification({ isIdentical, missing, kinds }: Verification, io: Io): void {
  printTable(
    io,
    ['KIND', 'REMOTE', 'COPY', 'REMOTE DIGEST', 'COPY DIGEST'],
    kinds.map(({ kind, remote, copy, remoteDigest, copyDigest }) => [
      kind,
      String(remote),
      String(copy),
      remoteDigest,
      copyDigest,
    ]),
  )
  for (const { kind, differing } of kinds)
    for (const id of differing) io.err(`The ${kind.replaceAll('_', ' ')} ${id} differs.\n`)
  if (missing > 0)
    io.err(`At least ${missing} changes of the remote are not in the copy; is the mirror running?\n`)
  if (isIdentical) io.status('The copy and the remote are identical.\n')
}

export const mirrorDetach: Command = {
  name: 'mirror detach',
  summary: 'Make a copy an ordinary database, which can be written and no longer follows.',
  flags: [DB_FLAG],
  remarks: [
    'Its users and keys stay, and the keys may write from now on. Its subscriptions stay disabled and get new secrets.',
  ],
  examples: ['daybook mirror detach --db mirror.db'],
  run: async (input, io) => {
    const file = databaseOf(input, io)
    const lock = existsSync(file)
      ? (takeServerLock(file) ?? fail(refused(`A daybook server runs on ${file}; stop it first.`)))
      : undefined
    try {
      return await withCopy(input, io, async (db) => {
        const remote = await db.write((tx): string => detach(tx, db.file))
        io.status(`${db.file} no longer follows ${remote}; "daybook serve --db ${db.file}" serves it.\n`)
        return 0
      })
    } finally {
      lock?.release()
    }
  },
}
