import { api } from '../api.ts'
import { isOwner, mayWrite } from '../session.ts'
import { useQuery } from '../use-query.ts'

/** The rights of the user to the rows of a table. */
export interface RowRights {
  readonly mayWrite: boolean
  readonly mayAdd: boolean
}

/** Tables without an entry of their own, also later ones. */
const OTHERS = '*'

/**
 * The rights of the user for a table; without an id, for new tables. Until they are known, they are those of the role, and
 * the server refuses what goes beyond.
 */
export function useRowRights(structure: string = OTHERS): RowRights {
  const { data } = useQuery(
    ['structure', 'own access'],
    async ({ signal }) => (await api.get('/v1/me', { signal })).access ?? null,
    // The access of owners is never limited.
    { retry: false, enabled: !isOwner.value },
  )
  const levels: Readonly<Record<string, string>> = data?.structures ?? {}
  const level = levels[structure] ?? levels[OTHERS] ?? 'write'
  return {
    mayWrite: mayWrite.value && level === 'write',
    mayAdd: mayWrite.value && (level === 'write' || level === 'add'),
  }
}
