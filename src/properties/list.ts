import { costOfRows, countUpTo, wholeListQuery } from '../http/whole-list.ts'
import { propertyKind } from './service.ts'

const TRASH = 'notes INDEXED BY notes_trash WHERE workspace = ? AND deleted_at IS NOT NULL'
/** How many entries of an index are counted in the time in which a row is scanned. */
const COUNTED_PER_ROW = 5

/** Of each property, the notes with a value are counted, and of all notes in the trash those with one. */
export const propertiesQuery = wholeListQuery({
  name: 'properties.list',
  member: 'properties',
  cost: (reader, { workspacePk }) => {
    const properties = costOfRows(reader, 'properties', workspacePk, { perRow: 1 })
    return (
      costOfRows(reader, 'properties', workspacePk, { perRow: 10, texts: ['options'] }) +
      countUpTo(reader, 'note_properties', 1 / COUNTED_PER_ROW) / COUNTED_PER_ROW +
      (properties * countUpTo(reader, TRASH, 1, workspacePk)) / COUNTED_PER_ROW
    )
  },
  list: propertyKind.list,
})
