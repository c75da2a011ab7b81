import { wholeListQuery } from '../http/whole-list.ts'
import { itemKind } from './service.ts'

export const quickAccessQuery = wholeListQuery('quick-access.list', 'items', itemKind.list)
