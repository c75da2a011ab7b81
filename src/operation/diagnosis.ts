import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isoOrNull } from '../lib/dates.ts'
import { nodeNet } from '../lib/node-modules.ts'
import { cannotRead, FailedRead, faultOf } from '../storage/errors.ts'
import type { Reader } from '../storage/reader.ts'
import { MIGRATIONS } from '../storage/schema/migrations/migrations.ts'

/** The number of rows of each kind; for notes and records including deleted ones. */
type Contents = Readonly<Record<string, number>>

/** Errors of one kind with the same text, which identifies no receiver. */
interface ErrorGroup {
  readonly where: 'delivery' | 'file'
  readonly error: string
  readonly count: number
  readonly last_at: string | null
}

/** Facts about a database, without any user content. */
export interface Diagnosis {
  readonly file: string
  readonly mode: string
  readonly database_bytes: number
  readonly log_bytes: number
  readonly free_bytes: number | null
  readonly schema: number
  readonly known_schema: number
  /** Absent while the schema differs from the schema of this program. */
  readonly contents?: Contents
  readonly last_errors?: readonly ErrorGroup[]
  readonly integrity: string
}

const COUNTED = {
  workspaces: 'workspaces',
  users: 'users',
  keys: 'keys',
  notes: 'notes',
  structures: 'structures',
  records: 'records',
  files: 'files',
  webhooks: 'webhooks',
  sources: 'sources',
  changes: 'changes',
}

const MAX_ERRORS = 10

const LAST_ERRORS = `
  SELECT 'delivery' AS "where", coalesce(error, 'HTTP status ' || response_status) AS error,
    count(*) AS count, max(last_attempt_at) AS last_at
  FROM webhook_deliveries WHERE status = 'failed' GROUP BY 2
  UNION ALL
  SELECT 'file', error, count(*), max(updated_at) FROM files WHERE status = 'failed' GROUP BY 2`

const STATES = `
  SELECT 'deliveries ' || status, count(*) FROM webhook_deliveries GROUP BY status
  UNION ALL
  SELECT 'webhooks paused', count(*) FROM webhooks WHERE paused_at IS NOT NULL
  UNION ALL
  SELECT 'source events ' || status, count(*) FROM source_events GROUP BY status`

export function countContents({ sql }: Pick<Reader, 'sql'>): Contents {
  const counted = Object.entries(COUNTED).map(([name, table]): [string, number] => [
    name,
    sql.scalar<number>(`SELECT count(*) FROM ${table}`),
  ])
  return Object.fromEntries([...counted, ...sql.rows<[string, number]>(STATES)])
}

type ErrorRow = Omit<ErrorGroup, 'last_at'> & { readonly last_at: number | null }

/**
 * Masks names and addresses in delivery errors. Names are in quotation marks, which they may also contain; addresses
 * are unquoted.
 */
const withoutHosts = (error: string): string =>
  error
    .replace(/".*"/s, '"…"')
    .replace(/[\da-f:]+(?:\.+[\da-f:]+)*/gi, (text) => (nodeNet().isIP(text) === 0 ? text : '…'))

function withSum(groups: Map<string, ErrorRow>, { where, error: text, count, last_at }: ErrorRow) {
  const error = where === 'delivery' ? withoutHosts(text) : text
  const key = `${where} ${error}`
  const known = groups.get(key)
  return groups.set(key, {
    where,
    error,
    count: count + (known?.count ?? 0),
    last_at: Math.max(last_at ?? 0, known?.last_at ?? 0) || null,
  })
}

function lastErrors({ sql }: Reader): ErrorGroup[] {
  const groups = sql.all<ErrorRow>(LAST_ERRORS).reduce(withSum, new Map())
  return [...groups.values()]
    .toSorted((left, right) => (right.last_at ?? 0) - (left.last_at ?? 0))
    .slice(0, MAX_ERRORS)
    .map((group) => ({ ...group, last_at: isoOrNull(group.last_at) }))
}

/**
 * "ok", or the first fault that SQLite finds in the structure of the pages; `daybook check` also compares their
 * contents.
 */
function quickCheck({ sql }: Reader): string {
  const found = sql.scalar<string>('PRAGMA quick_check(1)')
  if (found !== 'ok' && cannotRead(sql.database)) throw new FailedRead()
  return found
}

function freeBytes(file: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    return bavail * bsize
  } catch {
    return null
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
const PERMISSIONS = 0o777

/** Collects what a maintainer needs to know about a database; describes a damaged database as far as it is readable. */
export function diagnose(reader: Reader, file: string, schema: number): Diagnosis {
  const about = {
    file,
    mode: (statSync(file).mode & PERMISSIONS).toString(8).padStart(4, '0'),
    database_bytes: sizeOf(file),
    log_bytes: sizeOf(`${file}-wal`),
    free_bytes: freeBytes(file),
    schema,
    known_schema: MIGRATIONS.length,
  }
  try {
    const integrity = quickCheck(reader)
    if (schema !== MIGRATIONS.length || integrity !== 'ok') return { ...about, integrity }
    return { ...about, contents: countContents(reader), last_errors: lastErrors(reader), integrity }
  } catch (error) {
    const fault = faultOf(error)
    if (fault !== 'damaged' && fault !== 'failing') throw error
    return { ...about, integrity: fault === 'damaged' ? fault : 'unknown: the disk fails (an I/O error)' }
  }
}
