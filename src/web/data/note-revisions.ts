import { api } from './api.ts'
import type { components } from './api-types.d.ts'

export type Revision = components['schemas']['Revision']

/** The revisions of a note, newest first. Each contains the version that an edit replaced. */
export const readRevisions = async (
  id: string,
  limit: number,
  signal: AbortSignal,
): Promise<readonly Revision[]> =>
  (await api.get('/v1/notes/{id}/revisions', { params: { id }, query: { limit }, signal })).revisions
