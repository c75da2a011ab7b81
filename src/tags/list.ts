import { costOfRows, countUpTo, wholeListQuery } from '../http/whole-list.ts'
import { presentTag } from './present.ts'
import { listTags } from './service.ts'

export const tagsQuery = wholeListQuery({
  name: 'tags.list',
  member: 'tags',
  cost: (reader, { workspacePk }) =>
    costOfRows(reader, 'tags', workspacePk, { perRow: 3 }) + countUpTo(reader, 'tag_links', 1),
  list: (reader, input) => listTags(reader, input).map(presentTag),
})
