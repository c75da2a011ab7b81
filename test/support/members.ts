import { ownCredential } from '../../src/kernel/call.ts'
import * as users from '../../src/people/accounts/users.ts'
import { getWorkspaceOrOnly } from '../../src/people/accounts/workspaces.ts'
import { setUserPassword } from '../../src/people/administration.ts'
import { PASSWORD } from './browser-client.ts'
import type { TestService } from './service.ts'

/* Changes of users by the command line, in a service whose database may be in memory. */

/** Removes a user from a workspace, or deletes the user if none is given. */
export const removeUser = ({ ctx }: TestService, name: string, workspace?: string): Promise<void> =>
  ctx.db.write((tx): void =>
    users.removeUser(
      tx,
      users.getUser(tx, name),
      workspace === undefined ? undefined : getWorkspaceOrOnly(tx, workspace),
    ),
  )

export const setRole = (
  { ctx }: TestService,
  name: string,
  role: 'owner' | 'editor' | 'viewer',
): Promise<void> =>
  ctx.db.write(
    (tx): void =>
      void users.changeRole(tx, users.getUser(tx, name), getWorkspaceOrOnly(tx, 'Personal'), role),
  )

/** Sets the password of a user to `PASSWORD`. */
export async function setPassword({ ctx }: TestService, id: string): Promise<void> {
  const hash = await Bun.password.hash(PASSWORD, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })
  await ctx.kernel.call(setUserPassword, ownCredential('nothing'), { id, hash })
}

/** Adds an existing user to another workspace as a viewer; returns the id of the workspace. */
export const addMember = ({ ctx }: TestService, name: string, workspace: string): Promise<string> =>
  ctx.db.write((tx): string => {
    const row = getWorkspaceOrOnly(tx, workspace)
    users.addUser(tx, name, row, 'viewer')
    return row.id
  })
