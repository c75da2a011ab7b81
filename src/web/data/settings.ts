import { invalidate } from './cache.ts'
import { request } from './request.ts'
import type { Role, Workspace } from './session.ts'
import { type Key, useQuery } from './use-query.ts'

/* Endpoints under `/app/api`, which need a session and accept no keys. */

export type Scope = 'read' | 'write'

/** The access of a member or key; an omitted part means write access. */
export interface Access {
  readonly notes?: string
  readonly files?: string
  /** By ID; `*` for all others. */
  readonly structures?: Readonly<Record<string, string>>
}

export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly scope: Scope
  readonly access?: Access
  readonly user: { readonly id: string; readonly name: string }
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
}

export interface Member {
  readonly user_id: string
  readonly name: string
  readonly role: Role
  readonly access?: Access
  readonly has_password: boolean
  readonly has_passkey?: true
  readonly oidc_linked?: true
  readonly created_at: string
}

export interface ListedSession {
  readonly id: string
  readonly created_at: string
  readonly last_used_at: string
  readonly address: string
  readonly user_agent: string
  readonly current: boolean
}

/** A list that is not part of the change feed and is refetched after each change in this tab. */
export function listOf<Name extends string, Item>(name: Name) {
  const key: Key = [name]
  return {
    use: () =>
      useQuery(
        key,
        async ({ signal }) =>
          (await request<Record<Name, Item[]>>('GET', `/app/api/${name}`, { signal }))[name],
        { refetchOnMount: 'always' },
      ),
    change: async <Result>(method: string, path: string, body?: object): Promise<Result> => {
      const result = await request<Result>(method, `/app/api/${name}${path}`, body && { body })
      await invalidate(new Set([name]))
      return result
    },
  }
}

const keys = listOf<'keys', ApiKey>('keys')
const members = listOf<'members', Member>('members')
const sessions = listOf<'sessions', ListedSession>('sessions')
const workspaces = listOf<'workspaces', Workspace>('workspaces')

export const useKeys = keys.use
export const createKey = (body: { name: string; scope: Scope; expires_at: string | null; access?: Access }) =>
  keys.change<{ key: ApiKey; secret: string }>('POST', '', body)
export const changeKeyAccess = (id: string, access: Access) => keys.change('PATCH', `/${id}`, { access })
export const revokeKey = (id: string) => keys.change('DELETE', `/${id}`)

export const useMembers = members.use
export const addMember = (body: { name: string; role: Role; access?: Access }) =>
  members.change<{ member: Member; link: string | null; notice?: string }>('POST', '', body)
export const changeRole = (userId: string, role: Role) => members.change('PATCH', `/${userId}`, { role })
export const changeMemberAccess = (userId: string, access: Access) =>
  members.change('PATCH', `/${userId}`, { access })
export const removeMember = (userId: string) => members.change('DELETE', `/${userId}`)
export const renewLink = (userId: string) =>
  members.change<{ link: string; expires_at: string }>('POST', `/${userId}/link`)

export const useSessions = sessions.use
export const endSession = (id: string) => sessions.change('DELETE', `/${id}`)
export async function changePassword(current: string | undefined, password: string): Promise<void> {
  await request('PATCH', '/app/api/password', { body: { current, password } })
  await invalidate(new Set(['sessions', 'members']))
}
export async function removePassword(): Promise<void> {
  await request('DELETE', '/app/api/password')
  await invalidate(new Set(['sessions', 'members']))
}

export const useWorkspaces = workspaces.use
export const createWorkspace = (name: string) =>
  workspaces.change<{ workspace: Workspace }>('POST', '', { name })
export const renameWorkspace = (id: string, name: string) => workspaces.change('PATCH', `/${id}`, { name })
