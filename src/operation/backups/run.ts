import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { isoTimestamp, parseInstant } from '../../lib/dates.ts'
import { refused } from '../../lib/refusal.ts'
import { Sql } from '../../storage/sql.ts'
import { countContents } from '../diagnosis.ts'
import { isEncrypted } from './encoding.ts'
import { fetchBackup, proveBackup } from './fetch.ts'
import { type BackupTarget, dueIn, type LatestBackup, type MakeCopy, type StoredBackup } from './target.ts'

/*
 * The work of one process at one target: a backup if one is due, then a drill if one is due. It reports what it finds
 * and does in messages, one JSON object per line.
 */

/** A message to the server. Instants are in milliseconds. */
export type BackupMessage =
  | { readonly newestAt: number | null }
  /** Asks for a copy of the database in this file. */
  | { readonly copyTo: string }
  | { readonly made: string; readonly at: number }
  | { readonly failed: string }
  | { readonly drilledAt: number | null }
  | { readonly drilled: string; readonly at: number; readonly extent: string }
  | { readonly drillFailed: string }
  | { readonly warning: string }

export interface BackupTask {
  readonly target: BackupTarget
  readonly everyMs: number
  readonly keep: number
  readonly drillEveryMs: number | undefined
  readonly identity: string | undefined
  readonly clock: Clock
  /** The beginning of the names of temporary folders, on a disk with room for the database. */
  readonly folderPrefix: string
  /** Writes a verified copy of the database. */
  readonly copy: MakeCopy
  /** The faults that `daybook check` finds in a database. */
  check(file: string): Promise<readonly string[]>
  report(message: BackupMessage): void
}

export async function runBackups(task: BackupTask): Promise<void> {
  const { report } = task
  try {
    const latest = await backUpIfDue(task)
    if (latest && task.drillEveryMs !== undefined) await drillIfDue(task, task.drillEveryMs)
  } catch (error) {
    report({ failed: (error as Error).message })
  }
}

async function backUpIfDue(task: BackupTask): Promise<StoredBackup | undefined> {
  const { target, everyMs, clock, report } = task
  await target.clean()
  const newest = await findNewest(target)
  report({ newestAt: newest?.at ?? null })
  if (dueIn(newest?.at, everyMs, clock.now()) > 0) return newest
  const made = await backUp(task)
  report({ made: made.name, at: made.at })
  try {
    await removeOldest(task, made)
  } catch (error) {
    report({ warning: `Old backups could not be removed: ${(error as Error).message}` })
  }
  return made
}

/** A newest backup that is damaged or gone counts as none, so that another one is made. */
async function findNewest(target: BackupTarget): Promise<StoredBackup | undefined> {
  const [latest, all] = [await target.latest().catch(() => undefined), await target.list()]
  return latest && all.find(({ name, size }) => name === latest.name && size === latest.size) && latest
}

async function backUp({ target, drillEveryMs, copy }: BackupTask): Promise<LatestBackup> {
  let counts: object = {}
  const made = await target.store(async (file) => {
    const base = await copy(file)
    if (drillEveryMs !== undefined) counts = countsIn(file)
    return base
  })
  if (drillEveryMs !== undefined) await target.writeDocument('counts', { name: made.name, counts })
  return made
}

/** Removes the oldest of the proven backups, never the one that was just made. */
async function removeOldest({ target, keep }: BackupTask, made: StoredBackup): Promise<void> {
  const others = (await target.list()).filter(({ name }) => name !== made.name)
  const surplus = others.slice(0, Math.max(0, others.length - (keep - 1)))
  for (const backup of surplus) await target.remove(backup)
  const kept = [made, ...others.slice(surplus.length)].map(({ name }) => name)
  await target.segments?.removeUnneeded(kept, made.name)
}

function countsIn(file: string): Readonly<Record<string, number>> {
  const database = new Database(file, { readonly: true, strict: true })
  const sql = new Sql(database)
  try {
    return countContents({ sql })
  } finally {
    sql.finalize()
    database.close()
  }
}

async function drillIfDue(task: BackupTask, everyMs: number): Promise<void> {
  const { target, clock, report } = task
  const { at } = Object(await target.readDocument('drill')) as { at?: unknown }
  const last = typeof at === 'string' ? parseInstant(at) : undefined
  report({ drilledAt: last ?? null })
  if (dueIn(last, everyMs, clock.now()) > 0) return
  try {
    const { name, extent } = await drill(task)
    const now = clock.now()
    await target.writeDocument('drill', { name, at: isoTimestamp(now) })
    report({ drilled: name, at: now, extent })
  } catch (error) {
    report({ drillFailed: (error as Error).message })
  }
}

/** Restores the latest backup into a temporary folder and checks it; returns how far that went. */
async function drill(task: BackupTask): Promise<{ name: string; extent: string }> {
  const { target, identity, folderPrefix, check } = task
  const latest = await target.latest()
  if (!latest) throw refused(`There is no latest backup at ${target.name}.`)
  const { name } = latest
  if (isEncrypted(name) && identity === undefined) {
    await proveBackup(target, latest)
    return { name, extent: 'size and hash only, because it is encrypted and there is no --backup-identity' }
  }
  const folder = mkdtempSync(folderPrefix)
  try {
    const file = join(folder, 'drill.db')
    await fetchBackup(target, latest, { file, identity })
    const counted = countsIn(file)
    const faults = await check(file)
    if (faults.length > 0) throw refused(`The check of ${name} found: ${faults.join(' ')}`)
    return { name, extent: await compareCounts(target, name, counted) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compareCounts(
  target: BackupTarget,
  name: string,
  counted: Readonly<Record<string, number>>,
): Promise<string> {
  const document = Object(await target.readDocument('counts')) as Record<string, unknown>
  if (document.name !== name) return 'content checked; it was made without drills, so its counts are unknown'
  const counts = Object(document.counts) as Record<string, unknown>
  const kinds = [...new Set([...Object.keys(counts), ...Object.keys(counted)])]
  const wrong = kinds.filter((kind) => counts[kind] !== counted[kind])
  if (wrong.length === 0) return 'content checked and counts compared'
  const differences = wrong.map((kind) => `${kind}: ${counted[kind]} instead of ${counts[kind]}`)
  throw refused(`${name} has other counts than the copy that was stored (${differences.join(', ')}).`)
}
