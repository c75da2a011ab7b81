import { t } from 'elysia'
import { id, strict } from './types.ts'

/** What names an object by id, so that the object cannot go while it does. */
export interface Dependent {
  id: string
  name: string
}

export const dependent = () => strict({ id: id(), name: t.String({ examples: ['Open work'] }) })
