import type { Static } from '@sinclair/typebox'
import type { InWorkspace } from '../../context.ts'
import { checkAbility } from '../../kernel/caller.ts'
import { read, type Snapshot } from '../../kernel/operation.ts'
import { entityTag, type TaggedJson, tagWith } from '../../lib/entity-tags.ts'
import { fail, notFound } from '../../lib/refusal.ts'
import { getPosition } from '../../log/cursors.ts'
import { ChangeWriter, eachChange, selectOfObject } from '../../log/read.ts'
import type { Reader } from '../../storage/reader.ts'
import { findStructureByPk } from '../structures/store.ts'
import { foundResponse } from './present.ts'
import { expandedMembers } from './query/expand.ts'
import { withRollups } from './query/rollups.ts'
import { learnOfRows } from './query/total-cache.ts'
import type { HistoryQuery } from './schema.ts'
import { type FoundRecord, getRecord } from './store.ts'

const DEFAULT_LIMIT = 50

/** Whether a record of the workspace is live; undefined if the workspace has no such record, live or deleted. */
export function isLive(reader: Reader, caller: InWorkspace, id: string): boolean | undefined {
  const row = reader.sql.get<{ structure: number; isLive: number }>(
    'SELECT structure, deleted_at IS NULL AS isLive FROM records WHERE id = ?',
    id,
  )
  const structure = row && findStructureByPk(reader, caller, row.structure)
  if (!structure) return undefined
  checkAbility(caller.rights, structure, 'read')
  return row.isLive === 1
}

interface HistoryInput extends Static<typeof HistoryQuery> {
  readonly id: string
}

/** A page ends early once its text exceeds this length. */
const MAX_PAGE_LENGTH = 2_097_152

/** The versions of a row as JSON text, newest first, as far back as the log reaches. */
export const recordHistory = read({
  name: 'records.history',
  covers: 'structures',
  run: (snapshot, caller, { id, limit = DEFAULT_LIMIT, before }: HistoryInput) => {
    const { workspacePk } = caller
    const end = before === undefined ? undefined : getPosition(snapshot, workspacePk, before, 'before')
    if (isLive(snapshot, caller, id) === undefined) throw notFound('record')
    const range = { before: end, limit: limit + 1 }
    const writer = new ChangeWriter(snapshot, workspacePk)
    const versions: string[] = []
    let length = 0
    let hasMore = false
    for (const change of eachChange(snapshot, selectOfObject(workspacePk, id, range))) {
      hasMore = versions.length === limit || length > MAX_PAGE_LENGTH
      if (hasMore) break
      const version = `{${writer.versionMembers(change)}}`
      versions.push(version)
      length += version.length
    }
    return `{"versions":[${versions.join(',')}],"has_more":${hasMore}}`
  },
})

/** A live row as JSON text. */
export const readRecord = read({
  name: 'records.get',
  covers: 'structures',
  run: (snapshot, caller, { id, expand }: { id: string; expand?: string }): string | TaggedJson => {
    const record = getRecord(snapshot, caller, id)
    const isPlain = expand === undefined && record.hasRollups === 0
    return isPlain ? foundResponse(record) : completed(snapshot, caller, record, expand)
  },
  learn: learnOfRows,
})

/**
 * The row with its roll-ups and expanded objects. The tag leaves out roll-ups, because writes of the row do not change
 * them. `If-Match` also accepts a tag with expanded objects: it compares the part of the tag for the row.
 */
function completed(
  snapshot: Snapshot,
  caller: InWorkspace,
  record: FoundRecord,
  expand: string | undefined,
): TaggedJson {
  const structure = findStructureByPk(snapshot, caller, record.structure) ?? fail(notFound('record'))
  const [shown = record] = withRollups(snapshot, caller, structure, [record])
  const members = expand === undefined ? '' : expandedMembers(snapshot, caller, structure, [record], expand)
  const tag = entityTag(foundResponse(record))
  return { json: foundResponse(shown, members), tag: members === '' ? tag : tagWith(tag, members) }
}
