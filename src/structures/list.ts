import { wholeListQuery } from '../http/whole-list.ts'
import { presentStructure } from './present.ts'
import { listStructures } from './service.ts'

export const structuresQuery = wholeListQuery('structures.list', 'structures', (reader, input) =>
  listStructures(reader, input).map(presentStructure),
)
