import type { Static } from '@sinclair/typebox'
import type { AppContext, InWorkspace } from '../context.ts'
import type { Exchange } from '../http/exchange.ts'
import { partsResponse } from '../http/responses.ts'
import { type Credential, streamCredential } from '../kernel/call.ts'
import { may } from '../kernel/caller.ts'
import { long, read } from '../kernel/operation.ts'
import { escapeLineBoundaries } from '../lib/json.ts'
import { cursorFormatter } from '../log/cursors.ts'
import { lastChange } from '../log/log.ts'
import { CurrentObjects, listVisible } from '../objects/current.ts'
import type { ObjectReader } from '../objects/kind.ts'
import { type ObjectKind, SNAPSHOT_KINDS } from '../objects/kinds.ts'
import { recordJson } from '../records/rows/present.ts'
import { eachRecord } from '../records/rows/store.ts'
import { findStructureById, findStructureByPk } from '../records/structures/store.ts'
import type { Reader } from '../storage/reader.ts'
import { liveRows } from '../storage/row-table-names.ts'
import type { ChangeKind } from '../storage/schema/changes.ts'
import type { SnapshotQuery } from './schema.ts'

/*
 * A snapshot is read in parts, each in its own transaction, and names the log position before the first part. An object
 * that changes during the read has a change after that position. Applying those changes to the snapshot gives the exact
 * workspace.
 */

/** The object with which the next part begins. */
export interface Place {
  readonly kind: ChangeKind
  readonly after: number
  /** The pk of the structure whose records are being read. */
  readonly structure?: number
}

interface PartInput {
  readonly place: Place
  /** Whether notes have `edited_at`. */
  readonly isEdited?: boolean | undefined
}

export interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly kind: ChangeKind
  readonly count: number
  /** Undefined after the last object. */
  readonly next: Place | undefined
}

const FIRST_PLACE: Place = { kind: 'tag', after: 0 }

const OBJECTS_PER_PART = 500
const RECORDS_PER_PART = 2_000
/** A part ends once its text exceeds this length, because it passes through the main thread. */
const MAX_PART_LENGTH = 524_288

const partOf = (lines: string[], kind: ChangeKind, next: Place | undefined): Part => ({
  bytes: new TextEncoder().encode(escapeLineBoundaries(lines.join(''))),
  kind,
  count: lines.length,
  next,
})

const line = (kind: ChangeKind, structureId: string | null, object: string): string =>
  `{"kind":"${kind}","structure_id":${structureId === null ? 'null' : `"${structureId}"`},"object":${object}}\n`

function readObjects(reader: Reader, caller: ObjectReader, kind: ObjectKind, after: number): Part {
  const rows = listVisible(reader, caller.workspacePk, kind, after, OBJECTS_PER_PART)
  const objects = new CurrentObjects(reader, caller)
  const lines: string[] = []
  let length = 0
  for (const [pk, id] of rows) {
    const json = objects.jsonOf(kind, id, null)
    if (json !== 'null') lines.push(line(kind, structureOf(kind, json), json))
    length += json.length
    if (length > MAX_PART_LENGTH) return partOf(lines, kind, { kind, after: pk })
  }
  const lastPk = rows.at(-1)?.[0]
  const isOver = rows.length < OBJECTS_PER_PART || lastPk === undefined
  return partOf(lines, kind, isOver ? placeAfter(kind) : { kind, after: lastPk })
}

function structureOf(kind: ChangeKind, json: string): string | null {
  if (kind === 'structure') return (JSON.parse(json) as { id: string }).id
  if (kind === 'row_view' || kind === 'comment')
    return (JSON.parse(json) as { structure_id: string | null }).structure_id
  if (kind === 'webhook' || kind === 'source')
    return (JSON.parse(json) as { structure: { id: string } | null }).structure?.id ?? null
  return null
}

function placeAfter(kind: ObjectKind): Place | undefined {
  if (kind === 'structure') return { kind: 'record', after: 0 }
  const next = SNAPSHOT_KINDS[SNAPSHOT_KINDS.indexOf(kind) + 1]
  return next && { kind: next, after: 0 }
}

const afterRecords: Place = { kind: 'note', after: 0 }

/** Reads structure by structure; skips structures that are deleted meanwhile. */
function readRecords(reader: Reader, caller: InWorkspace, place: Place): Part {
  const structure =
    place.structure === undefined
      ? nextStructure(reader, caller, 0)
      : (findStructureByPk(reader, caller, place.structure) ?? nextStructure(reader, caller, place.structure))
  if (!structure) return partOf([], 'record', afterRecords)
  const after = structure.pk === place.structure ? place.after : 0
  const pks = reader.sql.column<number>(
    `SELECT pk FROM ${liveRows(structure)} WHERE pk > ? ORDER BY pk LIMIT ?`,
    after,
    RECORDS_PER_PART,
  )
  const lines: string[] = []
  let length = 0
  let last = after
  for (const row of eachRecord(reader, pks)) {
    last = row.pk
    lines.push(line('record', structure.id, recordJson(row)))
    length += row.data.length
    if (length > MAX_PART_LENGTH) break
  }
  const isOver = lines.length === pks.length && pks.length < RECORDS_PER_PART
  if (!isOver) return partOf(lines, 'record', { kind: 'record', after: last, structure: structure.pk })
  const following = nextStructure(reader, caller, structure.pk)
  return partOf(
    lines,
    'record',
    following ? { kind: 'record', after: 0, structure: following.pk } : afterRecords,
  )
}

/** The next structure with rows that the caller may read. */
function nextStructure(reader: Reader, caller: InWorkspace, after: number) {
  const following = reader.sql.all<{ id: string }>(
    'SELECT id FROM structures WHERE workspace = ? AND pk > ? ORDER BY pk',
    caller.workspacePk,
    after,
  )
  const next = following.find(({ id }) => may(caller.rights, id, 'read'))
  return next && findStructureById(reader, caller, next.id)
}

export const readSnapshotPart = long(
  read({
    name: 'change-feed.snapshot-part',
    covers: 'several',
    run: (reader, caller, { place, isEdited }: PartInput): Part =>
      place.kind === 'record'
        ? readRecords(reader, caller, place)
        : readObjects(reader, { ...caller, isEdited }, place.kind, place.after),
  }),
)

/** The cursor of the last change. */
export const readLastCursor = read({
  name: 'change-feed.last-cursor',
  covers: 'several',
  run: (reader, { workspacePk }) => cursorFormatter(reader, workspacePk)(lastChange(reader, workspacePk)),
})

/** The lines of a snapshot, in parts. Clients may read them at any pace: nothing waits for them. */
async function* snapshotLines(
  { kernel }: Pick<AppContext, 'kernel'>,
  credential: Credential,
  { edited: isEdited }: Static<typeof SnapshotQuery>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = streamCredential(credential, signal)
  const encoder = new TextEncoder()
  const cursor = await kernel.call(readLastCursor, reader, {})
  yield encoder.encode(`{"cursor":"${cursor}"}\n`)
  const counts: Partial<Record<ChangeKind, number>> = {}
  for (const kind of SNAPSHOT_KINDS) {
    counts[kind] = 0
    if (kind === 'structure') counts.record = 0
  }
  for (let place: Place | undefined = FIRST_PLACE; place; ) {
    const part: Part = await kernel.call(readSnapshotPart, reader, { place, isEdited })
    counts[part.kind] = (counts[part.kind] ?? 0) + part.count
    if (part.count > 0) yield part.bytes
    place = part.next
  }
  yield encoder.encode(`${JSON.stringify({ end: true, counts })}\n`)
}

const HEADERS = { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' }

/** Sends a snapshot; each part is read after the client has received the earlier ones. */
export function snapshotResponse(
  ctx: AppContext,
  exchange: Exchange,
  wanted: Static<typeof SnapshotQuery>,
): Response {
  if (exchange.request.method === 'HEAD') return new Response(null, { headers: HEADERS })
  const gone = new AbortController()
  const lines = snapshotLines(ctx, exchange.credential, wanted, gone.signal)
  const parts = {
    next: async () => (await lines.next()).value ?? undefined,
    close: (reason?: unknown) => {
      gone.abort()
      if (reason !== undefined) ctx.log.warn('a snapshot was broken off', { error: String(reason) })
    },
  }
  return partsResponse(exchange, parts, { headers: HEADERS })
}
