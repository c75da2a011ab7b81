import { costOfRows, wholeListQuery } from '../http/whole-list.ts'
import { presentItem } from './present.ts'
import { listItems } from './service.ts'

export const quickAccessQuery = wholeListQuery({
  name: 'quick-access.list',
  member: 'items',
  cost: (reader, { workspacePk }) => costOfRows(reader, 'quick_access', workspacePk, { perRow: 4 }),
  list: (reader, input) => listItems(reader, input).map(presentItem),
})
