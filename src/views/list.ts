import { wholeListQuery } from '../http/whole-list.ts'
import { viewKind } from './service.ts'

export const viewsQuery = wholeListQuery('views.list', 'views', viewKind.list)
