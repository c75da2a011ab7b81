import { type Answer, api } from './api.ts'
import { refetch } from './cache.ts'
import { type Key, useQuery } from './use-query.ts'

export type Share = Answer<'/v1/shares/{id}', 'get'>['share']
export type ShareKind = Share['kind']

/** The page size of the server; there are at most five pages. */
const AT_ONCE = 200
const KEY: Key = ['share']

/** All active share links that the user can see. */
export const useShares = () =>
  useQuery(
    KEY,
    async ({ signal }) => {
      const all: Share[] = []
      for (;;) {
        const query = { limit: AT_ONCE, offset: all.length }
        const { shares, has_more } = await api.get('/v1/shares', { query, signal })
        all.push(...shares)
        if (!has_more) return all
      }
    },
    { refetchOnMount: 'always' },
  )

const readSharesAgain = () => refetch({ queryKey: KEY })

export interface NewShare {
  readonly kind: ShareKind
  readonly target_id: string
  readonly name?: string
  readonly password?: string
  readonly expires_at?: string
  readonly options?: Record<string, unknown>
}

export async function createShare(body: NewShare): Promise<Share> {
  const { share } = await api.post('/v1/shares', { body: body as never })
  await readSharesAgain()
  return share
}

/** Replaces the address of a share link. */
export async function rotateShare(id: string): Promise<void> {
  await api.post('/v1/shares/{id}/rotate', { params: { id } })
  await readSharesAgain()
}

export async function endShare(id: string): Promise<void> {
  await api.delete('/v1/shares/{id}', { params: { id } })
  await readSharesAgain()
}
