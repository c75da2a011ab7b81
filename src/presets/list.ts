import { eq, inArray, sql } from 'drizzle-orm'
import { from, orm, valueBy } from '../db/query.ts'
import { presetProperties, presets } from '../db/schema/presets.ts'
import { costOfRows, wholeListQuery } from '../http/whole-list.ts'
import { presetKind } from './service.ts'

/** Characters of values that take as long as scanning a row. */
const BYTES_PER_ROW = 50
/** A list of more is long, however short their values are. */
const MAX_WEIGHED = 100

const valueBytes = valueBy((workspace: number) =>
  from(presetProperties, { value: sql<number>`total(octet_length(value))` }).where(
    inArray(
      presetProperties.preset,
      orm.select({ pk: presets.pk }).from(presets).where(eq(presets.workspace, workspace)).limit(MAX_WEIGHED),
    ),
  ),
)

export const presetsQuery = wholeListQuery({
  name: 'presets.list',
  member: 'presets',
  cost: (reader, { workspacePk }) =>
    costOfRows(reader, 'presets', workspacePk, { perRow: 100 }) +
    valueBytes(reader, workspacePk) / BYTES_PER_ROW,
  list: presetKind.list,
})
