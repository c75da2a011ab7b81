import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../../config.ts'
import { type AppContext, contextOn } from '../../context.ts'
import { jobs } from '../../jobs.ts'
import { ownCredential } from '../../kernel/call.ts'
import { writeIntoFile } from '../../kernel/file-write.ts'
import { settleAll } from '../../kernel/job-steps.ts'
import { fail, refused } from '../../lib/refusal.ts'
import { VERSION } from '../../lib/version.ts'
import { beginEpoch } from '../../log/cursors.ts'
import { onDeliveries } from '../../log/outbox.ts'
import { createKey } from '../../people/accounts/keys.ts'
import { columnsOfName } from '../../people/accounts/names.ts'
import { insertWorkspace, type WorkspaceRow } from '../../people/accounts/store.ts'
import { addUser } from '../../people/accounts/users.ts'
import { credentials } from '../../people/sessions/sessions.ts'
import type { OpenOptions, Platform } from '../../storage/connection/open.ts'
import { takeServerLock } from '../../storage/connection/server-lock.ts'
import { type Db, openDatabase } from '../../storage/database.ts'
import { DATABASE_SUFFIXES } from '../../storage/file-names.ts'
import { createFile } from '../../storage/new-file.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { mirrorApply, type Target } from './apply-stage.ts'
import { Forwarding, forgetEvents, type PostEvent } from './events.ts'
import { Follower, newStage, stageFileOf } from './follower.ts'
import { listLocalChanges } from './overlay/push.ts'
import type { Remote, RemoteWorkspace } from './remote.ts'
import { RemoteReading } from './remote-reading.ts'
import {
  isSameRequest,
  resolveSelection,
  type Selection,
  type SelectionRequest,
  Selector,
} from './selection.ts'
import { findState, insertState, makeWritable } from './state.ts'

export interface MirrorRequest extends Pick<AppContext, 'clock' | 'log'> {
  readonly config: Config
  readonly remote: Remote
  readonly selection: SelectionRequest
  /** Whether the copy accepts local changes of notes and records. */
  readonly isWritable: boolean
  readonly signal: AbortSignal
  /** Posts record events if they are forwarded. */
  readonly post: PostEvent | undefined
  /** Opens an existing copy and finishes its upgrade. */
  openUpgraded(options: Omit<OpenOptions, 'afterUpgrade'>): Promise<Db>
  onProgress(objects: number): void
}

/**
 * Creates the copy if there is none or its selection differs. Refuses a database that is not a copy of this remote and
 * workspace, or that is being served. Returns the first key of a new copy, and the number of unposted events of the
 * replaced copy. Such events may hold data that is now omitted.
 */
export async function prepareCopy(request: MirrorRequest) {
  const { config, remote, selection } = request
  const lock = takeLock(config)
  try {
    const previous = existsSync(config.db) ? await examine(request) : undefined
    removeUnfinished(config.db)
    if (previous?.isCurrent) {
      if (request.isWritable || previous.isWritable) await setMode(request)
      return { isNew: false, key: undefined, lostEvents: 0 }
    }
    if (previous?.hasLocalChanges) throw hasChanges(config.db, 'copied again with another selection')
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
  takeServerLock(db) ?? fail(refused(`Another daybook is serving ${db}, or brings it up to date.`))

/** The keys of a copy must not give access to another workspace. */
const anotherWorkspace = (file: string) =>
  refused(`${file} is a copy of another workspace than that of DAYBOOK_KEY; name another --db.`)

/** The existing copy, if any; `events` is the number of pending events. */
async function examine(request: MirrorRequest) {
  const { config, remote, selection } = request
  const db = await open(request)
  try {
    const state =
      findState(db) ?? fail(refused(`${config.db} is not a copy of another daybook; name another --db.`))
    if (state.remote !== remote.url)
      throw refused(`${config.db} is a copy of ${state.remote}; name another --db for ${remote.url}.`)
    return {
      isCurrent: isSameRequest(state.selection.request, selection),
      workspaceId: db.sql.scalar<string>('SELECT id FROM workspaces WHERE pk = ?', state.workspace),
      accounts: readAccounts(db),
      events: db.sql.scalar<number>('SELECT count(*) FROM mirror_events'),
      isWritable: state.isWritable === 1,
      hasLocalChanges: listLocalChanges(db).length > 0,
    }
  } finally {
    await close(db)
  }
}

const hasChanges = (file: string, what: string) =>
  refused(
    `${file} has local changes and cannot be ${what}; "daybook mirror diff --db ${file}" lists them. Push or reset them first.`,
  )

/** Makes the copy writable or read-only, as requested. */
async function setMode(request: MirrorRequest): Promise<void> {
  const { config, isWritable, post } = request
  const db = await open(request)
  try {
    if (!isWritable && listLocalChanges(db).length > 0)
      throw hasChanges(config.db, 'served without --writable')
    await db.write((tx): void => makeWritable(tx, isWritable, post !== undefined))
  } finally {
    await close(db)
  }
}

const open = ({ config, clock, log, openUpgraded }: MirrorRequest): Promise<Db> =>
  openUpgraded({ file: config.db, programVersion: VERSION, clock, log, role: 'server' })

/** Updates a copy that no server serves, once. Two concurrent updates would log each change twice. */
export async function updateCopy(request: MirrorRequest): Promise<void> {
  const lock = takeLock(request.config)
  try {
    await catchUpAlone(request)
  } finally {
    lock.release()
  }
}

async function catchUpAlone(request: MirrorRequest): Promise<void> {
  const { clock, log, config } = request
  const db = await open(request)
  const ctx = contextOn({ config, db, clock, log, credentials })
  try {
    const follower = new Follower(ctx, { ...request, isForwarding: false, onEvents: () => {} })
    await follower.connect()
    await follower.catchUp(0)
    await settleAll(ctx, jobs)
  } finally {
    await ctx.kernel.close()
    await close(db)
  }
}

/** Follows the remote in a server; returns a function that stops it. */
export function startFollowing(
  ctx: AppContext,
  request: Pick<MirrorRequest, 'remote' | 'signal' | 'post'>,
): () => Promise<void> {
  const stopping = new AbortController()
  const signal = AbortSignal.any([request.signal, stopping.signal])
  const { post, remote } = request
  const forwarding = post && new Forwarding(ctx, post, signal)
  const follower = new Follower(ctx, {
    remote,
    signal,
    isForwarding: post !== undefined,
    onEvents: () => forwarding?.notify(),
  })
  forwarding?.notify()
  const wake = () => forwarding?.notify()
  const stops = [onDeliveries(ctx.db, wake), ctx.bus.onAnyChange(wake)]
  const forgotten = forwarding ? Promise.resolve() : forgetEvents(ctx)
  const done = forgotten.then(() => follower.run())
  return async () => {
    for (const stop of stops) stop()
    stopping.abort()
    await done.catch(() => {})
  }
}

interface NewCopy extends Pick<AppContext, 'clock' | 'log'> {
  readonly file: string
  readonly remote: Remote
  readonly workspace: RemoteWorkspace
  readonly selection: Selection
  /** The system below the copy; a simulation passes its own. */
  readonly platform?: Platform
  /** Called while objects arrive. */
  onProgress(objects: number): void
}

/** The name of an incomplete copy, which is never served. An interrupted copy starts over. */
const unfinishedFileOf = (file: string): string => `${file}.copying`

/** Deletes the files of an interrupted process beside a copy. */
function removeUnfinished(file: string): void {
  for (const suffix of DATABASE_SUFFIXES) rmSync(`${unfinishedFileOf(file)}${suffix}`, { force: true })
  rmSync(stageFileOf(file), { force: true })
}

const LARGE_STAGE_BYTES = 16 * 2 ** 20

/**
 * Copies a remote workspace into a new database, which gets its name when it is complete. Users and keys come from the
 * replaced copy. Without a replaced copy, the database gets the user "owner" and a read-only key, which is returned.
 */
export async function makeCopy(copy: NewCopy, previous?: Accounts): Promise<string | undefined> {
  const { file } = copy
  removeUnfinished(file)
  try {
    const staged = await stageAll(copy)
    // Frees the memory of a large snapshot, now garbage, before the other thread needs as much.
    if (statSync(stageFileOf(file)).size > LARGE_STAGE_BYTES) Bun.gc(true)
    const unfinished = unfinishedFileOf(file)
    const { key, target } = await createDatabase(copy, unfinished, staged, previous)
    await applyIn(copy, unfinished, target)
    putInPlace(unfinished, file)
    return key
  } finally {
    removeUnfinished(file)
  }
}

async function stageAll({ file, remote, selection, onProgress }: NewCopy) {
  const stage = newStage(stageFileOf(file))
  try {
    const selector = new Selector(selection)
    const reading = new RemoteReading(remote, selector, stage)
    const cursor = await reading.readChanges(await reading.readSnapshot(onProgress))
    await reading.readContents(undefined, selection.hasFiles)
    return { cursor, selection: selector.selection }
  } finally {
    stage.close()
  }
}

async function createDatabase(
  { clock, log, file, remote, workspace, platform }: NewCopy,
  unfinished: string,
  { cursor, selection }: Awaited<ReturnType<typeof stageAll>>,
  previous: Accounts | undefined,
): Promise<{ readonly key: string | undefined; readonly target: Target }> {
  createFile(unfinished, { replaces: file })
  const db = openDatabase({
    file: unfinished,
    programVersion: VERSION,
    clock,
    log,
    role: 'server',
    ...platform,
  })
  try {
    return await db.write((tx) => {
      const { id, name, created_at } = workspace
      const row = insertWorkspace(tx, { id, ...columnsOfName(name), createdAt: Date.parse(created_at) })
      beginEpoch(tx, row.pk)
      const now = clock.now()
      const progress = { cursor, delayMs: 0, lastContactAt: now }
      insertState(tx, {
        workspace: row.pk,
        remote: remote.url,
        selection,
        ...progress,
        isWritable: 0,
        isForwarding: 0,
      })
      const key = previous ? copyAccounts(previous, tx, row) : createOwner(tx, row)
      const target: Target = { workspacePk: row.pk, mode: 'fresh', isForwarding: false, progress }
      return { key, target }
    })
  } finally {
    await close(db)
  }
}

export async function close(db: Db): Promise<void> {
  await db.finishCheckpoint()
  db.close()
}

function createOwner(tx: Tx, workspace: WorkspaceRow): string {
  const owner = addUser(tx, 'owner', workspace, 'owner')
  const key = { workspace: workspace.pk, user: owner.pk, name: 'first key', expiresAt: null }
  return createKey(tx, { ...key, scope: 'read' }).secret
}

const ACCOUNT_TABLES = ['users', 'members', 'keys', 'sessions', 'setup_links', 'sign_in_addresses'] as const

/** The accounts of a copy, which do not come from the remote. */
type Accounts = readonly {
  readonly table: (typeof ACCOUNT_TABLES)[number]
  readonly row: Readonly<Record<string, string | number | null>>
}[]

const readAccounts = ({ sql }: Reader): Accounts =>
  ACCOUNT_TABLES.flatMap((table) =>
    sql.all<Accounts[number]['row']>(`SELECT * FROM ${table}`).map((row) => ({ table, row })),
  )

/** Both databases have one workspace, and the same version. */
function copyAccounts(accounts: Accounts, { sql }: Tx, { pk }: WorkspaceRow): undefined {
  for (const { table, row } of accounts) {
    const values = 'workspace' in row ? { ...row, workspace: pk } : row
    const names = Object.keys(values)
    sql.run(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      ...Object.values(values),
    )
  }
}

/** Runs in a separate thread, so that this one can still handle signals. */
async function applyIn({ file, ...copy }: NewCopy, unfinished: string, target: Target): Promise<void> {
  const input = { stageFile: stageFileOf(file), now: copy.clock.now(), target }
  await writeIntoFile(
    { ...copy, ...copy.platform },
    unfinished,
    mirrorApply,
    ownCredential('several', target.workspacePk),
    input,
  )
}

/**
 * The old copy, if there is one, must be closed. Its WAL stays if another program has it open: it does not belong to
 * the new copy, and may hold data that is now omitted.
 */
function putInPlace(unfinished: string, file: string): void {
  renameSync(unfinished, file)
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
}
