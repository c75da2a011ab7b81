import { api } from './api.ts'
import { useQuery } from './use-query.ts'

/** The number of newest transactions that are searched for authors. */
const LOOKED_AT = 200

/** The authors of the newest edits of a note, by instant. */
export type Authors = ReadonlyMap<string, string>

const NOBODY: Authors = new Map()

/** The authors of the newest edits of a note, refetched after each edit. */
export function useAuthors(id: string, newestEdit: string | undefined): Authors {
  const { data } = useQuery(
    ['edits', id, newestEdit],
    ({ signal }) =>
      api.get('/v1/changes/transactions', { query: { kinds: 'note', limit: LOOKED_AT }, signal }),
    { enabled: newestEdit !== undefined, placeholderData: (before) => before },
  )
  if (!data) return NOBODY
  return new Map(
    data.transactions
      .filter(({ objects }) => objects.some((one) => one.id === id))
      .flatMap(({ at, actor: { name } }) => (name === null ? [] : [[at, name] as const])),
  )
}
