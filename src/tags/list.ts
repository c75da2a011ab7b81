import { costOfRows, countUpTo, wholeListQuery } from '../http/whole-list.ts'
import { tagKind } from './service.ts'

export const tagsQuery = wholeListQuery({
  name: 'tags.list',
  member: 'tags',
  cost: (reader, { workspacePk }) =>
    costOfRows(reader, 'tags', workspacePk, { perRow: 3 }) + countUpTo(reader, 'tag_links', 1),
  list: tagKind.list,
})
