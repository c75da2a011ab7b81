import { existsSync } from 'node:fs'
import { createBus } from '../changes/bus.ts'
import type { Config } from '../config.ts'
import type { AppContext } from '../context.ts'
import { takeServerLock } from '../db/connection/server-lock.ts'
import { type Db, openDatabase } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import { openWorker } from '../db/worker/client.ts'
import { onWake } from '../delivery/wakes.ts'
import { VERSION } from '../lib/version.ts'
import { fail, refused } from '../refusal.ts'
import { type Accounts, close, makeCopy, readAccounts, removeUnfinished } from './copy.ts'
import { Forwarding, forgetEvents, type PostEvent } from './event-forwarding.ts'
import { Follower } from './follower.ts'
import { listLocalChanges } from './overlay/push.ts'
import type { Remote } from './remote.ts'
import { isSameRequest, resolveSelection, type SelectionRequest } from './selection.ts'
import { findState, makeWritable } from './state.ts'

export interface MirrorRequest extends Pick<AppContext, 'clock' | 'log' | 'features'> {
  readonly config: Config
  readonly remote: Remote
  readonly selection: SelectionRequest
  /** Whether notes and records may be changed in the copy. */
  readonly isWritable: boolean
  readonly signal: AbortSignal
  /** Posts record events, if they are forwarded. */
  readonly post: PostEvent | undefined
  /** Updates derived data for this version of the program. */
  afterUpgrade(reader: Reader): void
  onProgress(objects: number): void
}

/** What became of a copy: a new one, with its first key, or one that was there. */
export interface PreparedCopy {
  readonly isNew: boolean
  readonly key: string | undefined
  /** How many events the replaced copy had not posted; they may hold what the new one leaves out. */
  readonly lostEvents: number
}

/**
 * Makes the copy, if there is none or one that leaves out other things. Refuses a database that is no copy of this
 * remote or of this workspace, and one that is served.
 */
export async function prepareCopy(request: MirrorRequest): Promise<PreparedCopy> {
  const { config, remote, selection } = request
  const lock = takeLock(config)
  try {
    const previous = existsSync(config.db) ? await examine(request) : undefined
    removeUnfinished(config.db)
    if (previous?.isCurrent) {
      if (request.isWritable || previous.isWritable) await setMode(request)
      return { isNew: false, key: undefined, lostEvents: 0 }
    }
    if (previous?.hasLocalChanges) throw hasChanges(config.db, 'copied anew with another selection')
    const workspace = await remote.connect()
    if (previous && previous.workspaceId !== workspace.id) throw anotherWorkspace(config.db)
    const resolved = resolveSelection(selection, await remote.structures())
    const key = await makeCopy(
      { ...request, file: config.db, workspace, selection: resolved },
      previous?.accounts,
    )
    if (request.isWritable) await setMode(request)
    return { isNew: true, key, lostEvents: previous?.events ?? 0 }
  } finally {
    lock.release()
  }
}

const takeLock = ({ db }: Config) =>
  takeServerLock(db) ?? fail(refused(`Another daybook serves ${db}, or brings it up to date.`))

/** The keys of a copy must not open another workspace. */
const anotherWorkspace = (file: string) =>
  refused(`${file} is a copy of another workspace than the one that DAYBOOK_KEY opens; name another --db.`)

/** What there is in the place of the copy. */
interface Previous {
  readonly isCurrent: boolean
  readonly workspaceId: string
  readonly accounts: Accounts
  /** How many events wait to be posted. */
  readonly events: number
  readonly isWritable: boolean
  readonly hasLocalChanges: boolean
}

async function examine(request: MirrorRequest): Promise<Previous> {
  const { config, remote, selection } = request
  const db = open(request)
  try {
    const state =
      findState(db) ?? fail(refused(`${config.db} is no copy of another daybook; name another --db.`))
    if (state.remote !== remote.url)
      throw refused(`${config.db} is a copy of ${state.remote}; name another --db for ${remote.url}.`)
    return {
      isCurrent: isSameRequest(state.selection.request, selection),
      workspaceId: db.sql.scalar('SELECT id FROM workspaces WHERE pk = ?', state.workspace),
      accounts: readAccounts(db),
      events: db.sql.scalar('SELECT count(*) FROM mirror_events'),
      isWritable: state.isWritable === 1,
      hasLocalChanges: listLocalChanges(db).length > 0,
    }
  } finally {
    await close(db)
  }
}

const hasChanges = (file: string, what: string) =>
  refused(
    `${file} has changes of its own and cannot be ${what}; "daybook mirror diff --db ${file}" lists them. Push or reset them first.`,
  )

/** Makes the copy writable or read-only, as was asked. */
async function setMode(request: MirrorRequest): Promise<void> {
  const { config, isWritable, post } = request
  const db = open(request)
  try {
    if (!isWritable && listLocalChanges(db).length > 0)
      throw hasChanges(config.db, 'served without --writable')
    await db.write((tx): void => makeWritable(tx, isWritable, post !== undefined))
  } finally {
    await close(db)
  }
}

const open = ({ config, clock, log, afterUpgrade }: MirrorRequest): Db =>
  openDatabase({ file: config.db, programVersion: VERSION, clock, log, role: 'server', afterUpgrade })

/** Brings a copy that is not served up to date, once. Two at a time would log each change twice. */
export async function updateCopy(request: MirrorRequest): Promise<void> {
  const lock = takeLock(request.config)
  try {
    await catchUpAlone(request)
  } finally {
    lock.release()
  }
}

async function catchUpAlone(request: MirrorRequest): Promise<void> {
  const { clock, log, config, features } = request
  const db = open(request)
  const bus = createBus()
  const worker = openWorker({ db, listeners: bus, clock, log })
  try {
    const ctx: AppContext = { config, db, worker, bus, clock, log, features }
    const follower = new Follower(ctx, { ...request, isForwarding: false, onEvents: () => {} })
    await follower.connect()
    await follower.catchUp(0)
  } finally {
    await worker.close()
    await close(db)
  }
}

/** Follows the remote in a server; returns a function that stops it. */
export function startFollowing(ctx: AppContext, request: MirrorRequest): () => Promise<void> {
  const stopping = new AbortController()
  const signal = AbortSignal.any([request.signal, stopping.signal])
  const { post, remote } = request
  const forwarding = post && new Forwarding(ctx, post, signal)
  const follower = new Follower(ctx, {
    remote,
    signal,
    isForwarding: post !== undefined,
    onEvents: () => forwarding?.wake(),
  })
  forwarding?.wake()
  const wake = () => forwarding?.wake()
  const stops = [onWake(ctx.db, { deliveries: wake, moment: () => {} }), ctx.bus.onWakeAll(wake)]
  const forgotten = forwarding ? Promise.resolve() : forgetEvents(ctx)
  const done = forgotten.then(() => follower.run())
  return async () => {
    for (const stop of stops) stop()
    stopping.abort()
    await done.catch(() => {})
  }
}
