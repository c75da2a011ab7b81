import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { AppContext, Caller } from '../../context.ts'
import type { Exchange } from '../../http/exchange.ts'
import { partsResponse } from '../../http/responses.ts'
import { Admission } from '../../lib/admission.ts'
import { Refusal, unavailable } from '../../lib/refusal.ts'
import { listOwnMemberships } from '../../people/accounts/operations.ts'
import { listWorkspaces } from '../../people/accounts/store.ts'
import { startCopy } from './process.ts'
import { temporaryPrefix } from './temporary.ts'

/** The time without progress after which a download ends: its copy needs as much disk space as the database. */
const STALLED_MS = 60_000
const RETRY_AFTER_SECONDS = 30
const PART_BYTES = 262_144

/** A backup contains every workspace, so the user must own all of them. */
function checkOwnsAll({ db }: AppContext, caller: Caller): void {
  const owned = listOwnMemberships(db, caller).filter(({ role }) => role === 'owner')
  if (owned.length === listWorkspaces(db).length) return
  throw new Refusal(
    'owner_required',
    'A backup holds every workspace of the server; only an owner of all of them may take one.',
  )
}

interface Download {
  readonly exchange: Exchange
  readonly caller: Caller
}

/** Calls `end` when the session ends or its user no longer owns every workspace. Returns a function that stops this. */
function onNoLongerAllowed(ctx: AppContext, download: Download, end: () => void): () => void {
  const stopWatching = ctx.bus.onAnyChange(() => {
    try {
      checkOwnsAll(ctx, download.caller)
    } catch {
      end()
    }
  })
  const stopListening = download.exchange.onRightEnd(end)
  return () => {
    stopWatching()
    stopListening()
  }
}

const isMaking = () =>
  unavailable('Another backup is being made or downloaded; try again when it is done.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
const failed = () => unavailable('No backup could be made; the log of the server says why.')

/**
 * Makes a verified copy in a separate process and sends it; only one backup runs at a time. The copy is removed after
 * it is sent, when the client disconnects or stalls, or when its user loses permission.
 */
export class BackupDownloads {
  readonly #admission = new Admission({ most: 1, refusal: isMaking })

  constructor(private readonly ctx: AppContext) {}

  async respond(download: Download): Promise<Response> {
    const { ctx } = this
    checkOwnsAll(ctx, download.caller)
    const release = this.#admission.hold('backup')
    let folder: string | undefined
    const remove = () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
      release()
    }
    try {
      folder = mkdtempSync(temporaryPrefix(ctx.config.db))
      const file = join(folder, basename(ctx.config.db))
      await makeCopy(ctx, download, file)
      return await sendCopy(ctx, download, file, remove)
    } catch (error) {
      remove()
      throw error
    }
  }
}

/** Stops when the client disconnects or loses permission. */
async function makeCopy(ctx: AppContext, download: Download, file: string): Promise<void> {
  const { db, checkpoint } = ctx.config
  const backup = startCopy(db, file, checkpoint)
  let isStopped = false
  const stop = () => {
    isStopped = true
    backup.kill()
  }
  const { signal } = download.exchange.request
  signal.addEventListener('abort', stop, { once: true })
  const stopWatching = onNoLongerAllowed(ctx, download, stop)
  const failure = await backup.failure
  signal.removeEventListener('abort', stop)
  stopWatching()
  checkOwnsAll(ctx, download.caller)
  if (failure === undefined && !isStopped) return
  if (!isStopped) ctx.log.error('backup failed', { error: failure })
  throw failed()
}

async function sendCopy(
  ctx: AppContext,
  download: Download,
  file: string,
  remove: () => void,
): Promise<Response> {
  const { server, request } = download.exchange
  const copy = await open(file)
  const { size } = await copy.stat()
  server.timeout(request, 0)
  return partsResponse(
    { onRightEnd: (listener) => onNoLongerAllowed(ctx, download, () => listener('session_ended')) },
    {
      next: async () => {
        const { buffer, bytesRead } = await copy.read(new Uint8Array(PART_BYTES))
        return bytesRead > 0 ? buffer.subarray(0, bytesRead) : undefined
      },
      close: () => void copy.close().then(remove, remove),
    },
    {
      headers: {
        'Content-Type': 'application/vnd.sqlite3',
        'Content-Disposition': 'attachment; filename="daybook-backup.db"',
        'Content-Length': String(size),
        'Cache-Control': 'no-store',
      },
    },
    { clock: ctx.clock, ms: STALLED_MS },
  )
}
