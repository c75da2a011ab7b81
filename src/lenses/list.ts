import { costOfRows, wholeListQuery } from '../http/whole-list.ts'
import { lensKind } from './service.ts'

export const lensesQuery = wholeListQuery({
  name: 'lenses.list',
  member: 'lenses',
  cost: (reader, { workspacePk }) =>
    costOfRows(reader, 'lenses', workspacePk, { perRow: 5, texts: ['scope'], bytesPerRow: 20 }),
  list: lensKind.list,
})
