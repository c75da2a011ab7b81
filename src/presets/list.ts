import { costOfRows, wholeListQuery } from '../http/whole-list.ts'
import { presetKind } from './service.ts'

/** Characters of values that take as long as scanning a row. */
const BYTES_PER_ROW = 50
/** A list of more is long, however short their values are. */
const MAX_WEIGHED = 100

export const presetsQuery = wholeListQuery({
  name: 'presets.list',
  member: 'presets',
  cost: (reader, { workspacePk }) =>
    costOfRows(reader, 'presets', workspacePk, { perRow: 100 }) +
    reader.sql.scalar<number>(
      `SELECT total(octet_length(value)) FROM preset_properties
       WHERE preset IN (SELECT pk FROM presets WHERE workspace = ? LIMIT ${MAX_WEIGHED})`,
      workspacePk,
    ) /
      BYTES_PER_ROW,
  list: presetKind.list,
})
