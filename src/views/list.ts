import { costOfRows, wholeListQuery } from '../http/whole-list.ts'
import { viewKind } from './service.ts'

export const viewsQuery = wholeListQuery({
  name: 'views.list',
  member: 'views',
  cost: (reader, { workspacePk }) =>
    costOfRows(reader, 'views', workspacePk, { perRow: 10, texts: ['filter'], bytesPerRow: 20 }),
  list: viewKind.list,
})
