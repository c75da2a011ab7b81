import { costOfRows, wholeListQuery } from '../http/whole-list.ts'
import { presentLens } from './present.ts'
import { listLenses } from './service.ts'

export const lensesQuery = wholeListQuery({
  name: 'lenses.list',
  member: 'lenses',
  cost: (reader, { workspacePk }) =>
    costOfRows(reader, 'lenses', workspacePk, { perRow: 5, texts: ['scope'], bytesPerRow: 20 }),
  list: (reader, input) => listLenses(reader, input).map(presentLens),
})
