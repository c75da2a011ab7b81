import { wholeListQuery } from '../http/whole-list.ts'
import { presetKind } from './service.ts'

export const presetsQuery = wholeListQuery('presets.list', 'presets', presetKind.list)
