import { costOfRows, wholeListQuery } from '../http/whole-list.ts'
import { presentStructure } from './present.ts'
import { listStructures } from './service.ts'

export const structuresQuery = wholeListQuery({
  name: 'structures.list',
  member: 'structures',
  cost: (reader, { workspacePk }) =>
    costOfRows(reader, 'structures', workspacePk, { perRow: 10, texts: ['fields', 'description'] }),
  list: (reader, input) => listStructures(reader, input).map(presentStructure),
})
