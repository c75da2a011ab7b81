import { resolve } from 'node:path'
import { type Api, createApi } from './api.ts'
import type { Config } from './config.ts'
import { type AppContext, contextOn } from './context.ts'
import { createSender } from './events/delivery/client/sender.ts'
import { Dispatcher } from './events/delivery/dispatch/dispatcher.ts'
import { startTextExtraction } from './files/text-extraction.ts'
import { IDLE_SECONDS } from './http/exchange.ts'
import { Expectations } from './http/expectation.ts'
import { type BunListener, GuardedListener, type Listener } from './http/listener.ts'
import { jobs } from './jobs.ts'
import { ownCredential } from './kernel/call.ts'
import { JobRunner } from './kernel/job-runner.ts'
import { sleep, systemClock } from './lib/clock.ts'
import { createLog, type Log } from './lib/log.ts'
import { COMMAND } from './lib/program.ts'
import { fail, Refusal, refused } from './lib/refusal.ts'
import { VERSION } from './lib/version.ts'
import { beginEpochs } from './log/cursors.ts'
import { remoteOf } from './log/mirror-guard.ts'
import { createBackups } from './operation/backups/schedule.ts'
import { removeLeftCopies } from './operation/backups/temporary.ts'
import { retentionJobs } from './operation/schedule.ts'
import { openUpgraded } from './operation/upgrade.ts'
import { bootstrap, createUserLink } from './people/administration.ts'
import { saveServerAddress } from './people/sessions/server-address.ts'
import { credentials } from './people/sessions/sessions.ts'
import { type ServerLock, takeServerLock } from './storage/connection/server-lock.ts'
import type { Db } from './storage/database.ts'
import { asUnavailable } from './storage/errors.ts'
import type { Tx } from './storage/writes/transaction.ts'

/** A server that accepts requests. */
export interface RunningServer {
  /** `http://<host>:<port>`, with the actual port. */
  readonly url: string
  /**
   * Resolves with a sentence for the operator when the server can only stop: a file of the database was replaced or
   * removed, or its disk failed.
   */
  readonly lost: Promise<string>
  /**
   * Stops accepting requests, finishes running requests and deliveries within 10 seconds, and syncs everything to disk.
   * Returns false if the disk does not respond, so that the process must be killed.
   */
  stop(): Promise<boolean>
}

/** A mirror of another server. */
export interface Mirroring {
  /** Starts following the remote; returns a function that stops it. */
  start(ctx: AppContext): () => void | Promise<void>
}

const STOP_WITHIN_MS = 10_000
/** Logged if requests are still running when a server stops. */
export const CUT_OFF = 'requests were cut off'
const STOP_POLL_MS = 5
/** The time for which a server without its database still reports the loss in every response. */
const LOST_SHOWN_MS = 1_000

/**
 * Far above the limit of the service, so that oversized bodies get the service's refusal instead of Bun's empty
 * response.
 */
const PARSER_BODY_LIMIT = 2 ** 40

/**
 * Opens the database for serving and starts to listen. Throws UnusableDatabase or Refusal with a sentence for the
 * operator. Causes: the database is already being served or is unusable, or the port is taken.
 */
export async function startServer(
  config: Config,
  print: (message: string) => void,
  mirroring?: Mirroring,
): Promise<RunningServer> {
  const lock = takeServerLock(config.db) ?? fail(alreadyServed(config.db))
  try {
    const log = createLog(config.logLevel, systemClock, print)
    const clock = systemClock
    const db = await openUpgraded({
      file: config.db,
      programVersion: VERSION,
      clock,
      log,
      role: 'server',
      checkpoint: config.checkpoint,
    })
    refuseOtherKind(db, mirroring !== undefined)
    const ctx = contextOn({ config, db, clock, log, credentials })
    return await serveDatabase(ctx, lock, print, mirroring)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Refuses to serve a mirror as an ordinary database, and the reverse. */
function refuseOtherKind(db: Db, isMirror: boolean): void {
  const remote = remoteOf(db)
  if ((remote !== undefined) === isMirror) return
  db.close()
  throw refused(
    remote === undefined
      ? `${db.file} is not a copy of another daybook; choose another --db.`
      : `${db.file} is a copy of ${remote}, which "daybook mirror ${remote} --db ${db.file}" serves; "daybook mirror detach --db ${db.file}" turns it into an ordinary database.`,
  )
}

const alreadyServed = (file: string) =>
  refused(`Another daybook server runs on ${file} already; stop it, or choose another --db.`)

async function serveDatabase(
  ctx: AppContext,
  lock: ServerLock,
  print: (message: string) => void,
  mirroring: Mirroring | undefined,
): Promise<RunningServer> {
  const backups = createBackups(ctx)
  let listener: Listener | undefined
  const app = createApi(ctx, backups, () => listener?.port ?? ctx.config.port)
  const begun = Promise.withResolvers<void>()
  let hasBegun = false
  try {
    // Requests that arrive before the epoch has begun wait for it.
    const expectations = new Expectations()
    const current: Pick<Api, 'fetch'> = {
      fetch: (request, server) => {
        const failed = server && expectations.failed(request, server)
        if (failed) return failed
        return hasBegun ? app.fetch(request, server) : begun.promise.then(() => app.fetch(request, server))
      },
    }
    listener = new GuardedListener((port) => listen(current, ctx.config, port), ctx.clock, ctx.log)
    const url = urlOf(ctx.config.host, listener.port)
    const { publicUrls, port } = ctx.config
    const publicUrl = publicUrls[0] ?? null
    const address = { url, publicUrl, isPortFixed: port === 0 ? 0 : 1 }
    await writeIfPossible(ctx, (tx) => {
      beginEpochs(tx)
      saveServerAddress(tx, { pk: 1, ...address })
    })
    await announceFirstStart(ctx, print, publicUrl ?? url)
    hasBegun = true
    begun.resolve()
  } catch (error) {
    await listener?.stop(true)
    ctx.db.close()
    throw error
  }
  const lost = new Promise<string>((resolve) =>
    ctx.db.onLost((sentence) => {
      app.stop()
      ctx.clock.after(LOST_SHOWN_MS, () => resolve(sentence))
    }),
  )
  ctx.db.onExternalWrite(() => ctx.bus.notify())
  const deliveries = startSending(ctx)
  const runner = new JobRunner(ctx, [...jobs, ...retentionJobs(ctx.config)])
  const background = [
    () => runner.stop(),
    ...(mirroring ? [mirroring.start(ctx)] : [startTextExtraction(ctx)]),
    () => backups.stop(),
  ]
  removeLeftCopies(ctx)
  backups.start()
  ctx.log.info('started', { version: VERSION, host: ctx.config.host, port: listener.port })
  return {
    url: urlOf(ctx.config.host, listener.port),
    lost,
    stop: () => stopServer(ctx, app, listener, deliveries, background, lock),
  }
}

/** Starts the dispatcher with its own sender; stopping it closes the sender's connections. */
function startSending(ctx: AppContext): Pick<Dispatcher, 'stop'> {
  const { webhookAllowlist: allowlist, webhookCa: ca } = ctx.config
  const sender = createSender({ allowlist, ca, clock: ctx.clock })
  const deliveries = new Dispatcher({ ...ctx, send: sender.send })
  return {
    stop: async () => {
      await deliveries.stop()
      sender.close()
    },
  }
}

async function stopServer(
  { log, db, kernel }: AppContext,
  app: Api,
  listener: Listener,
  deliveries: Pick<Dispatcher, 'stop'>,
  background: readonly (() => void | Promise<void>)[],
  lock: ServerLock,
): Promise<boolean> {
  log.info('stopping')
  try {
    await Promise.all([drain(app, listener, log), deliveries.stop()])
    await Promise.all(background.map((end) => end()))
    await Promise.all([kernel.close(), db.finishCheckpoint()])
    const isClosed = db.close()
    log.info('stopped')
    return isClosed
  } finally {
    lock.release()
    log.flush()
  }
}

/** IPv6 addresses are written in brackets, which `--host` may already include. */
const urlOf = (host: string, port: number | undefined) =>
  `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`

function listen(app: Pick<Api, 'fetch'>, { host, port: wanted }: Config, port = wanted): BunListener {
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: PARSER_BODY_LIMIT,
      development: false,
      // Outside development Bun shares a port with any process that listens on it, unless `reusePort` is false.
      reusePort: false,
      fetch: app.fetch,
    })
  } catch (error) {
    throw refused(cannotListen(host, port, error))
  }
}

function cannotListen(host: string, port: number, error: unknown): string {
  const { code } = error as { code?: string }
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is in use; choose another --port.`
  if (code === 'EACCES')
    return `Port ${port} on ${host} is not permitted for this user; choose another --port.`
  return `The server cannot listen on ${host}, port ${port}; check --host and --port.`
}

/** Performs a write at startup; a damaged or read-only database is served nevertheless. */
async function writeIfPossible({ db, log }: AppContext, write: (tx: Tx) => void): Promise<void> {
  try {
    await db.write((tx): void => write(tx))
  } catch (error) {
    if (!(asUnavailable(error) instanceof Refusal)) throw error
    log.error('nothing could be written at the start', { error: String(error) })
    db.noteError(error)
  }
}

/** Prints the first key and the sign-in link once, on stderr and never in the log. */
async function announceFirstStart(
  ctx: AppContext,
  print: (message: string) => void,
  origin: string,
): Promise<void> {
  const key = await bootstrap(ctx)
  if (key === undefined) return
  const input = { name: 'owner', origin, isReset: false }
  const { link } = await ctx.kernel.call(createUserLink, ownCredential('nothing'), input)
  print(`Created ${resolve(ctx.db.file)} with the user "owner" and the workspace "Personal".
Save this write key; it will not be shown again:

  ${key}

Open this link within 30 minutes to set a password and use the application; "${COMMAND} users link owner"
prints another:

  ${link}

`)
}

/** Refuses new requests, waits for the running ones, then closes the remaining connections. */
async function drain(app: Api, listener: Listener, log: Log): Promise<void> {
  app.stop()
  void listener.stop()
  const until = systemClock.monotonicMs() + STOP_WITHIN_MS
  while (listener.pendingRequests > 0 && systemClock.monotonicMs() < until)
    await sleep(systemClock, STOP_POLL_MS)
  if (listener.pendingRequests > 0) log.warn(CUT_OFF, { requests: listener.pendingRequests })
  await listener.stop(true)
}
