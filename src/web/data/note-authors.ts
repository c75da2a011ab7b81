import { api } from './api.ts'
import { useQuery } from './use-query.ts'

/** As many of the newest writes to notes are looked through. */
const LOOKED_AT = 200

/** By the instants of the newest edits of a note, who made them. */
export type Authors = ReadonlyMap<string, string>

const NOBODY: Authors = new Map()

/** Who edited a note lately; read again when its newest edit is another one. */
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
