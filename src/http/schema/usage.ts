import { t } from 'elysia'
import { id, strict } from './types.ts'

/** A `UsedBy`. */
export const usedBy = () => strict({ id: id(), name: t.String({ examples: ['Open work'] }) })
