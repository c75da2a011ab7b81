import { getTableColumns } from 'drizzle-orm'
import { countComments } from '../../comments/store.ts'
import { wholeWorkspace } from '../../context.ts'
import { countObjects } from '../../feed/workspace.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { fail, refused } from '../../lib/refusal.ts'
import { newSecret } from '../../log/message.ts'
import { findWorkspace } from '../../people/accounts/store.ts'
import { from, insertInto, rowBy, updateOf } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { CHANGE_KINDS, type ChangeKind } from '../../storage/schema/changes.ts'
import { mirrors } from '../../storage/schema/mirror.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import type { Selection } from './selection.ts'
import type { Stage } from './stage.ts'
import { FIELD } from './unknown.ts'

/** The state of a copy relative to its remote. */
export interface MirrorState extends Omit<typeof mirrors.$inferSelect, 'selection'> {
  readonly selection: Selection
}

const findRow = rowBy(() => from(mirrors, getTableColumns(mirrors)))

/** Undefined for a database that is not a copy. */
export function findState(reader: Reader): MirrorState | undefined {
  const row = findRow(reader)
  return row && { ...row, selection: JSON.parse(row.selection) as Selection }
}

export const getState = (reader: Reader, file: string): MirrorState =>
  findState(reader) ?? fail(refused(`${file} is not a copy of another daybook; name the --db of a mirror.`))

const insert = insertInto(mirrors)

export const insertState = (tx: Tx, state: Omit<MirrorState, 'problem'>): number =>
  insert(tx, { ...state, selection: JSON.stringify(state.selection) })

/** The progress of the copy, stored in the transaction that achieves it. */
export interface Progress extends Pick<MirrorState, 'cursor' | 'delayMs' | 'lastContactAt'> {
  /** Undefined if unchanged. */
  readonly selection?: Selection
}

const update = updateOf(mirrors, mirrors.workspace)

export const saveProgress = (tx: Tx, workspace: number, { selection, ...progress }: Progress): void =>
  update(tx, workspace, {
    ...progress,
    problem: null,
    ...(selection && { selection: JSON.stringify(selection) }),
  })

/** Stores why a copy cannot follow, for its status, until it follows again. */
export const saveProblem = ({ sql }: Tx, problem: string): void => {
  sql.run('UPDATE mirrors SET problem = ? WHERE problem IS NOT ?', problem, problem)
}

const known = CHANGE_KINDS.map((kind) => `'${kind}'`).join(', ')

/** Stores which objects of the remote the copy omits because this program does not know them. */
export function saveOmitted({ sql }: Tx, stage: Stage, isWhole: boolean): void {
  if (isWhole) sql.run('DELETE FROM mirror_left_out')
  // A staged object that was omitted before is known now, or deleted.
  for (const { kind, id } of sql.all<Left>(`SELECT kind, id FROM mirror_left_out WHERE kind IN (${known})`))
    if (stage.objectJson(kind, id) !== undefined) forget(sql, kind, id)
  for (const { id } of sql.all<Left>(`SELECT kind, id FROM mirror_left_out WHERE kind = '${FIELD}'`))
    if (stage.objectJson('structure', id.split('.')[0] ?? '') !== undefined) forget(sql, FIELD, id)
  for (const { kind, id, isThere } of stage.omitted())
    if (isThere) sql.run('INSERT OR IGNORE INTO mirror_left_out (kind, id) VALUES (?, ?)', kind, id)
    else forget(sql, kind, id)
}

interface Left {
  readonly kind: ChangeKind
  readonly id: string
}

const forget = (sql: Tx['sql'], kind: string, id: string) =>
  sql.run('DELETE FROM mirror_left_out WHERE kind = ? AND id = ?', kind, id)

const countOmitted = ({ sql }: Reader) =>
  sql.all<{ kind: string; count: number }>(
    'SELECT kind, count(*) AS count FROM mirror_left_out GROUP BY kind ORDER BY kind',
  )

/** After this time without contact to the remote, a copy counts as not following. */
const SILENCE_MS = 60_000

/** The status of a copy. If it does not follow, its lag is the time since its last contact with the remote. */
export function statusOf(reader: Reader, file: string, now: number) {
  const { workspace, remote, cursor, delayMs, lastContactAt, problem } = getState(reader, file)
  const row = findWorkspace(reader, workspace) ?? fail(refused('The copy has no workspace.'))
  const silence = Math.max(0, now - lastContactAt)
  const isFollowing = silence <= SILENCE_MS && problem === null
  const omitted = countOmitted(reader)
  const counts = countObjects(reader, wholeWorkspace(workspace))
  return {
    isFollowing,
    status: {
      remote,
      workspace: { id: row.id, name: row.name },
      cursor,
      lag_ms: isFollowing ? delayMs : silence,
      last_contact_at: isoTimestamp(lastContactAt),
      ...(problem !== null && { problem }),
      counts: {
        note: row.liveNotes,
        record: counts.records,
        tag: counts.tags,
        property: counts.properties,
        structure: counts.structures,
        preset: counts.presets,
        view: counts.views,
        lens: counts.lenses,
        quick_access_item: counts.quick_access,
        file: counts.files,
        webhook: counts.webhooks,
        source: counts.sources,
        row_view: counts.row_views,
        comment: countComments(reader, workspace),
      } satisfies Record<Exclude<ChangeKind, 'share'>, number>,
      ...(omitted.length > 0 && {
        left_out: Object.fromEntries(omitted.map(({ kind, count }) => [kind, count])),
      }),
    },
  }
}

/** Tags that are created here get ids from this number on, which no tag of the remote has. */
const LOCAL_TAGS = 2 ** 40

/** Allows or forbids local changes of notes and records; the keys of the copy may write as soon as it is writable. */
export function makeWritable({ sql }: Tx, isWritable: boolean, isForwarding: boolean): void {
  const known = sql.get('SELECT 1 FROM mirrors WHERE is_writable = 1') !== undefined
  sql.run('UPDATE mirrors SET is_writable = ?, is_forwarding = ?', Number(isWritable), Number(isForwarding))
  if (!isWritable || known) return
  sql.run("UPDATE keys SET scope = 'write'")
  sql.run("DELETE FROM sqlite_sequence WHERE name = 'tags'")
  sql.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('tags', ?)", LOCAL_TAGS)
}

/**
 * Turns a copy into an ordinary database: its keys may write, and its subscriptions, which stay disabled, get new
 * secrets. Returns the address of the former remote.
 */
export function detach(tx: Tx, file: string): string {
  const { remote } = getState(tx, file)
  const { sql } = tx
  sql.run("UPDATE keys SET scope = 'write'")
  for (const pk of sql.column<number>("SELECT pk FROM webhooks WHERE secret = ''"))
    sql.run('UPDATE webhooks SET secret = ?, headers = NULL WHERE pk = ?', newSecret(), pk)
  if (sql.get('SELECT 1 FROM mirror_overlay WHERE held IS NOT NULL'))
    throw refused(
      `${file} has conflicting changes; "daybook mirror diff --db ${file}" lists them. Reset them first.`,
    )
  sql.run('DELETE FROM mirrors')
  sql.run('DELETE FROM mirror_overlay')
  sql.run('DELETE FROM mirror_events')
  sql.run('DELETE FROM mirror_left_out')
  return remote
}
