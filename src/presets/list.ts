import { costOfRows, wholeListQuery } from '../http/whole-list.ts'
import { presentPreset } from './present.ts'
import { listPresets } from './service.ts'
import { valueBytes } from './store.ts'

/** Characters of values that take as long as scanning a row. */
const BYTES_PER_ROW = 50

export const presetsQuery = wholeListQuery({
  name: 'presets.list',
  member: 'presets',
  cost: (reader, { workspacePk }) =>
    costOfRows(reader, 'presets', workspacePk, { perRow: 100 }) +
    valueBytes(reader, workspacePk) / BYTES_PER_ROW,
  list: (reader, input) => listPresets(reader, input).map(presentPreset),
})
