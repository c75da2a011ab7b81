import { cache } from '../cache.ts'
import { request } from '../request.ts'
import { sessionKey } from '../session-key.ts'

export interface Member {
  /** Of the user. */
  readonly id: string
  readonly name: string
}

interface Answer {
  readonly members: readonly { readonly user_id: string; readonly name: string }[]
}

/** The members of the workspace, whom `user` fields can name. They are not part of the change feed. */
export const readMembers = async (): Promise<readonly Member[]> => {
  const { members } = await cache.fetchQuery({
    queryKey: ['names of members', sessionKey.peek()],
    queryFn: () => request<Answer>('GET', '/app/api/members'),
    staleTime: 30_000,
  })
  return members.map(({ user_id, name }) => ({ id: user_id, name }))
}
