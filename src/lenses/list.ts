import { wholeListQuery } from '../http/whole-list.ts'
import { lensKind } from './service.ts'

export const lensesQuery = wholeListQuery('lenses.list', 'lenses', lensKind.list)
