import type { Static } from '@sinclair/typebox'
import type { InWorkspace } from '../../context.ts'
import { checkAbility } from '../../kernel/caller.ts'
import { read } from '../../kernel/operation.ts'
import { entityTag, type TaggedJson, tagWith } from '../../lib/entity-tags.ts'
import { notFound } from '../../lib/refusal.ts'
import { getPosition } from '../../log/cursors.ts'
import { ChangeWriter, eachChange, selectOfObject } from '../../log/read.ts'
import type { Reader } from '../../storage/reader.ts'
import { findStructureByPk } from '../structures/store.ts'
import { foundResponse } from './present.ts'
import { expandedMembers } from './query/expand.ts'
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
    return expand === undefined ? foundResponse(record) : withExpanded(snapshot, caller, record, expand)
  },
})

/** `If-Match` accepts the tag of this response, too: it compares the part of the tag for the row. */
function withExpanded(reader: Reader, caller: InWorkspace, record: FoundRecord, expand: string): TaggedJson {
  const structure = findStructureByPk(reader, caller, record.structure)
  if (!structure) throw notFound('record')
  const members = expandedMembers(reader, caller, structure, [record], expand)
  return {
    json: foundResponse(record, members),
    tag: tagWith(entityTag(foundResponse(record)), members),
  }
}
