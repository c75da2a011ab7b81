import { costOfRows, wholeListQuery } from '../http/whole-list.ts'
import { itemKind } from './service.ts'

export const quickAccessQuery = wholeListQuery({
  name: 'quick-access.list',
  member: 'items',
  cost: (reader, { workspacePk }) => costOfRows(reader, 'quick_access', workspacePk, { perRow: 4 }),
  list: itemKind.list,
})
