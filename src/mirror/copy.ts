import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { createKey } from '../account/keys.ts'
import { columnsOfName } from '../account/names.ts'
import { insertWorkspace, type WorkspaceRow } from '../account/store.ts'
import { addUser } from '../account/users.ts'
import type { AppContext } from '../context.ts'
import { type Db, openDatabase } from '../db/database.ts'
import { DATABASE_SUFFIXES } from '../db/file-names.ts'
import type { Reader } from '../db/reader.ts'
import { WorkerThread } from '../db/worker/thread.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { VERSION } from '../lib/version.ts'
import { mirrorApply, type Target } from './apply-stage.ts'
import { newStage, stageFileOf } from './follower.ts'
import type { Remote, RemoteWorkspace } from './remote.ts'
import { RemoteReading } from './remote-reading.ts'
import { type Selection, Selector } from './selection.ts'
import { insertState } from './state.ts'

export interface NewCopy extends Pick<AppContext, 'clock' | 'log' | 'features'> {
  readonly file: string
  readonly remote: Remote
  readonly workspace: RemoteWorkspace
  readonly selection: Selection
  /** Called while objects arrive. */
  onProgress(objects: number): void
}

/** The name of a copy that is not complete: it is never served, and an interrupted one begins again. */
const unfinishedFileOf = (file: string): string => `${file}.copying`

/** Deletes what an interrupted process left beside a copy. */
export function removeUnfinished(file: string): void {
  for (const suffix of DATABASE_SUFFIXES) rmSync(`${unfinishedFileOf(file)}${suffix}`, { force: true })
  rmSync(stageFileOf(file), { force: true })
}

/**
 * Copies a remote workspace into a new database, which takes its name when it is complete. Users and keys are those of
 * the copy that it replaces; without one it has the user "owner" and a read-only key, which is returned.
 */
export async function makeCopy(copy: NewCopy, previous?: Accounts): Promise<string | undefined> {
  const { file } = copy
  removeUnfinished(file)
  try {
    const staged = await stageAll(copy)
    // What was read is garbage now; its memory is returned before the other thread needs as much.
    Bun.gc(true)
    const unfinished = unfinishedFileOf(file)
    const { key, target } = await createDatabase(copy, unfinished, staged, previous)
    await applyIn(copy, unfinished, target)
    putInPlace(unfinished, file)
    return key
  } finally {
    removeUnfinished(file)
  }
}

interface Staged {
  readonly cursor: string
  readonly selection: Selection
}

async function stageAll({ file, remote, selection, onProgress }: NewCopy): Promise<Staged> {
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

interface Created {
  readonly key: string | undefined
  readonly target: Target
}

async function createDatabase(
  { clock, log, features, remote, workspace }: NewCopy,
  file: string,
  { cursor, selection }: Staged,
  previous: Accounts | undefined,
): Promise<Created> {
  const db = openDatabase({ file, programVersion: VERSION, clock, log, role: 'server' })
  try {
    return await db.write((tx): Created => {
      const { id, name, created_at } = workspace
      const row = insertWorkspace(tx, { id, ...columnsOfName(name), createdAt: Date.parse(created_at) })
      features.onWorkspaceCreated(tx, row.pk)
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
      return {
        key,
        target: { workspacePk: row.pk, mode: 'fresh', isForwarding: false, progress },
      }
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

/** The rows of what a copy has of its own: who may read it. */
export type Accounts = readonly {
  readonly table: (typeof ACCOUNT_TABLES)[number]
  readonly row: Readonly<Record<string, string | number | null>>
}[]

export const readAccounts = ({ sql }: Reader): Accounts =>
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

/** In a thread of its own, so that this one can still be asked to end. */
async function applyIn({ clock, log, file }: NewCopy, unfinished: string, target: Target): Promise<void> {
  const thread = new WorkerThread(clock, log)
  try {
    const input = { stageFile: stageFileOf(file), now: clock.now(), target }
    await thread.run({ file: unfinished, kind: 'task', name: mirrorApply.name, input })
  } finally {
    await thread.close()
  }
}

/**
 * The old copy, if there is one, must be closed. Its log stays where another program has it open: the log is not that of
 * the new copy, and may hold what is now left out.
 */
function putInPlace(unfinished: string, file: string): void {
  renameSync(unfinished, file)
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
}
