import { addUser, changeRole, getUser, listUsers, removeUser, setPassword } from '../../../account/users.ts'
import { getWorkspaceOrOnly } from '../../../account/workspaces.ts'
import { readPublicUrls } from '../../../config.ts'
import { ROLES } from '../../../db/schema/account.ts'
import { isoTimestamp } from '../../../lib/dates.ts'
import { didYouMean } from '../../../lib/near-miss.ts'
import { createSetupLink } from '../../../sessions/setup-links.ts'
import { findServerAddress } from '../../../sessions/store.ts'
import { type Command, DB_FLAG, JSON_FLAG, textFlag, WORKSPACE_FLAG, WrongUsage } from '../../command.ts'
import { withDatabase } from '../../open-database.ts'
import { printJson, printTable } from '../../output.ts'

/** Where a server listens by default. */
const DEFAULT_ORIGIN = 'http://127.0.0.1:8787'

export const usersAdd: Command = {
  name: 'users add',
  summary: 'Add a user to a workspace; the user is created if there is none of that name.',
  parameters: ['<name>'],
  flags: [
    { name: 'role', value: 'role', help: 'owner, editor or viewer (default editor)', choices: ROLES },
    WORKSPACE_FLAG,
    JSON_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'Every member can read the whole workspace; a viewer cannot write, whatever the scope of the key.',
  ],
  examples: ['daybook users add mira', 'daybook users add guest --role viewer --workspace Personal'],
  run: (input, io) =>
    withDatabase(input, io, async (db) => {
      const role = ROLES.find((known) => known === textFlag(input, 'role')) ?? 'editor'
      const added = await db.write((tx) => {
        const workspace = getWorkspaceOrOnly(tx, textFlag(input, 'workspace'))
        const user = addUser(tx, input.args[0] ?? '', workspace, role)
        return { id: user.id, name: user.name, role, workspace: workspace.name }
      })
      if (input.flags.json) printJson(io, added)
      else io.status(`"${added.name}" belongs to the workspace "${added.workspace}" as ${role}.\n`)
      return 0
    }),
}

export const usersList: Command = {
  name: 'users list',
  summary: 'List the users and the workspaces they belong to.',
  flags: [JSON_FLAG, DB_FLAG],
  examples: ['daybook users list', 'daybook users list --json'],
  run: (input, io) =>
    withDatabase(input, io, (db) => {
      const users = listUsers(db).map(({ user, memberships }) => ({
        id: user.id,
        name: user.name,
        has_password: user.passwordHash !== null,
        created_at: isoTimestamp(user.createdAt),
        memberships: memberships.map(({ workspace, role }) => ({ workspace, role })),
      }))
      if (input.flags.json) printJson(io, { users })
      else {
        const rows = users.map(({ id, name, memberships }) => [
          id,
          name,
          memberships.map(({ workspace, role }) => `${workspace} (${role})`).join(', ') || '-',
        ])
        printTable(io, ['ID', 'NAME', 'WORKSPACES'], rows)
      }
      return 0
    }),
}

export const usersRole: Command = {
  name: 'users role',
  summary: 'Change the role of a user in a workspace.',
  parameters: ['<name>', '<role>'],
  flags: [WORKSPACE_FLAG, DB_FLAG],
  remarks: [
    'The role is owner, editor or viewer. Works while a server runs, which obeys within a second: a viewer cannot write,',
    'whatever the scope of the key. The last owner of a workspace stays one.',
  ],
  examples: ['daybook users role mira viewer', 'daybook users role mira owner --workspace Personal'],
  run: (input, io) => {
    const [name = '', given = ''] = input.args
    const role = ROLES.find((known) => known === given)
    if (!role) {
      throw new WrongUsage(
        `<role> must be one of ${ROLES.join(', ')}, not "${given}".${didYouMean(given, ROLES)}`,
      )
    }
    return withDatabase(input, io, async (db) => {
      const workspace = getWorkspaceOrOnly(db, textFlag(input, 'workspace'))
      const user = await changeRole(db, name, workspace, role)
      io.status(`"${user.name}" is ${role} of the workspace "${workspace.name}" now.\n`)
      return 0
    })
  },
}

export const usersRemove: Command = {
  name: 'users remove',
  summary: 'Remove a user, or with --workspace only from that workspace.',
  parameters: ['<name>'],
  flags: [{ name: 'workspace', value: 'name', help: 'remove the user from this workspace only' }, DB_FLAG],
  remarks: [
    'The keys of the user are refused from then on. After a removal from one workspace they work again when the user is',
    'added to it again. The last owner of a workspace cannot be removed.',
  ],
  examples: ['daybook users remove guest', 'daybook users remove mira --workspace Personal'],
  run: (input, io) =>
    withDatabase(input, io, async (db) => {
      const name = textFlag(input, 'workspace')
      const workspace = name === undefined ? undefined : getWorkspaceOrOnly(db, name)
      const user = await removeUser(db, input.args[0] ?? '', workspace)
      io.status(`"${user.name}" was removed${workspace ? ` from the workspace "${workspace.name}"` : ''}.\n`)
      return 0
    }),
}

export const usersPassword: Command = {
  name: 'users password',
  summary: 'Set the password with which a user signs in to the application.',
  parameters: ['<name>'],
  flags: [DB_FLAG],
  remarks: ['Reads the password from standard input: one line, not shown while it is typed.'],
  examples: ['daybook users password mira', 'daybook users password mira < password.txt'],
  run: (input, io) =>
    withDatabase(input, io, async (db) => {
      const [name = ''] = input.args
      const user = await setPassword(db, name, await io.readSecret(`Password of "${name}": `))
      io.status(`The password of "${user.name}" was set.\n`)
      return 0
    }),
}

export const usersLink: Command = {
  name: 'users link',
  summary: 'Print a link with which a user sets a password and signs in to the application.',
  parameters: ['<name>'],
  flags: [JSON_FLAG, DB_FLAG],
  remarks: [
    'The link works once, for 30 minutes; a new one voids the older ones of the user. It leads to DAYBOOK_PUBLIC_URL, else',
    'to where the server of this database listens.',
  ],
  examples: ['daybook users link owner'],
  run: (input, io) =>
    withDatabase(input, io, async (db) => {
      const user = getUser(db, input.args[0] ?? '')
      const origin = readPublicUrls(io.env, input.flags)[0] ?? findServerAddress(db) ?? DEFAULT_ORIGIN
      const { link, expiresAt } = await db.write((tx) => createSetupLink(tx, user.pk, origin))
      if (input.flags.json) printJson(io, { link, expires_at: isoTimestamp(expiresAt) })
      else io.out(`${link}\n`)
      return 0
    }),
}
