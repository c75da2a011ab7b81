import { wholeListQuery } from '../http/whole-list.ts'
import { tagKind } from './service.ts'

export const tagsQuery = wholeListQuery('tags.list', 'tags', tagKind.list)
