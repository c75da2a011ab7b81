import { readAccess } from '../../../kernel/caller.ts'
import { isoTimestamp } from '../../../lib/dates.ts'
import { didYouMean } from '../../../lib/near-miss.ts'
import { fail, refused } from '../../../lib/refusal.ts'
import {
  deletePasskeysOf,
  deleteProviderLink,
  endSessionsOf,
  listMembers,
  listMembershipsOf,
  type UserRow,
  type WorkspaceRow,
} from '../../../people/accounts/store.ts'
import {
  addUser,
  changeRole,
  getMember,
  getUser,
  knownUserNotice,
  listUsers,
  removeUser,
  setPassword,
} from '../../../people/accounts/users.ts'
import { getWorkspaceOrOnly } from '../../../people/accounts/workspaces.ts'
import { createSetupLink } from '../../../people/sessions/sign-in.ts'
import type { Reader } from '../../../storage/reader.ts'
import { ROLES } from '../../../storage/schema/account.ts'
import {
  type Command,
  DB_FLAG,
  flag,
  JSON_FLAG,
  PRINTING_FLAGS,
  textFlag,
  WORKSPACE_FLAG,
  WrongUsage,
} from '../../command.ts'
import { originFor, withDatabase } from '../../open-database.ts'
import { listCommand, show } from '../../output.ts'
import { readAccessFlag } from '../../read-access.ts'

const usersAdd: Command = {
  name: 'users add',
  summary: 'Add a user to a workspace; the user is created if there is none of that name.',
  parameters: ['<name>'],
  flags: [
    flag('--role <role>', 'owner, editor or viewer (default editor)', { choices: ROLES }),
    ...PRINTING_FLAGS,
  ],
  remarks: [
    'A member can access the whole workspace until "daybook users access", or Settings, Access in the application,',
    'narrows it; a viewer cannot write, whatever the scope of the key. Prints a link with which a user without a',
    'password sets one and signs in to the application: see "daybook users link".',
  ],
  examples: ['daybook users add mira', 'daybook users add guest --role viewer --workspace Personal'],
  run: (input, io) =>
    withDatabase(input, io, async (db) => {
      const role = ROLES.find((known) => known === textFlag(input, 'role')) ?? 'editor'
      const origin = originFor(db, input, io)
      const added = await db.write((tx) => {
        const workspace = getWorkspaceOrOnly(tx, textFlag(input, 'workspace'))
        const { pk, id, name, passwordHash, createdAt } = addUser(tx, input.args[0] ?? '', workspace, role)
        const link =
          passwordHash === null ? createSetupLink(tx, { userPk: pk, maker: null }, origin).link : null
        const notice = createdAt < tx.now && { notice: knownUserNotice(name) }
        return { id, name, role, workspace: workspace.name, link, ...notice }
      })
      return show(input, io, added, () => {
        io.status(`"${added.name}" belongs to the workspace "${added.workspace}" as ${role}.\n`)
        if ('notice' in added) io.status(`${added.notice}\n`)
        if (added.link !== null) io.out(`${added.link}\n`)
      })
    }),
}

const usersList = listCommand({
  of: 'users',
  summary: 'List the users and the workspaces they belong to.',
  read: (input, io) =>
    withDatabase(input, io, (db) =>
      listUsers(db).map(({ user, memberships }) => ({
        id: user.id,
        name: user.name,
        has_password: user.passwordHash !== null,
        created_at: isoTimestamp(user.createdAt),
        memberships: memberships.map(({ workspace, role }) => ({ workspace, role })),
      })),
    ),
  columns: {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    WORKSPACES: ({ memberships }) =>
      memberships.map(({ workspace, role }) => `${workspace} (${role})`).join(', ') || '-',
  },
})

const usersRole: Command = {
  name: 'users role',
  summary: 'Change the role of a user in a workspace.',
  parameters: ['<name>', '<role>'],
  flags: [WORKSPACE_FLAG, DB_FLAG],
  remarks: [
    'The role is owner, editor or viewer. Works while a server runs, which applies the role within a second: a viewer',
    'cannot write, whatever the scope of the key. The last owner of a workspace cannot be demoted.',
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
      const changed = await db.write((tx) => {
        const workspace = getWorkspaceOrOnly(tx, textFlag(input, 'workspace'))
        const user = getMember(tx, workspace, name)
        changeRole(tx, user, workspace, role)
        return { user: user.name, workspace: workspace.name }
      })
      io.status(`"${changed.user}" is ${role} of the workspace "${changed.workspace}" now.\n`)
      return 0
    })
  },
}

const usersAccess: Command = {
  name: 'users access',
  summary: 'Narrow or show the access of a member of a workspace.',
  parameters: ['<name>'],
  flags: [
    flag('--access <list>', 'notes=none,files=read,Leads=add,*=none; all removes the restriction'),
    ...PRINTING_FLAGS,
  ],
  remarks: [
    'notes (with tags, views and the like) and files are none, read or write; structures, by name or id, none, read,',
    'add or write, * for all others. Parts that are not named stay open. The keys, shares and agents of a member',
    'never exceed the access of the member. Works while a server runs. An owner can access everything. Without',
    '--access it shows the current access.',
  ],
  examples: [
    'daybook users access mira',
    'daybook users access mira --access "notes=none,Leads=add,*=none"',
    'daybook users access mira --access all',
  ],
  run: (input, io) => {
    const given = textFlag(input, 'access')
    return withDatabase(input, io, async (db) => {
      const member = await db.write((tx) => {
        const workspace = getWorkspaceOrOnly(tx, textFlag(input, 'workspace'))
        const user = getMember(tx, workspace, input.args[0] ?? '')
        const { role } = getMembership(tx, workspace, user)
        if (given !== undefined) {
          if (role === 'owner' && given !== 'all')
            throw refused(
              `"${user.name}" is an owner and can access the whole workspace; make them an editor or a viewer first.`,
            )
          changeRole(tx, user, workspace, role, given === 'all' ? null : readAccessFlag(tx, workspace, given))
        }
        return { name: user.name, role, access: readAccess(getMembership(tx, workspace, user).access) }
      })
      return show(input, io, member, () =>
        io.out(
          `"${member.name}" reaches ${member.access === null ? 'the whole workspace' : JSON.stringify(member.access)}.\n`,
        ),
      )
    })
  },
}

const getMembership = (reader: Reader, workspace: WorkspaceRow, { pk, name }: UserRow) =>
  listMembers(reader, workspace.pk).find((member) => member.pk === pk) ??
  fail(refused(`The user "${name}" does not belong to the workspace "${workspace.name}".`))

const usersRemove: Command = {
  name: 'users remove',
  summary: 'Remove a user, or with --workspace only from that workspace.',
  parameters: ['<name>'],
  flags: [flag('--workspace <name>', 'remove the user from this workspace only'), DB_FLAG],
  remarks: [
    'The keys, sessions and setup links of the user end permanently, also if the user is added again. Without',
    '--workspace the user is deleted. A user without any workspace loses the password. The last owner of a workspace',
    'cannot be removed.',
  ],
  examples: ['daybook users remove guest', 'daybook users remove mira --workspace Personal'],
  run: (input, io) =>
    withDatabase(input, io, async (db) => {
      const name = textFlag(input, 'workspace')
      const removed = await db.write((tx) => {
        const workspace = name === undefined ? undefined : getWorkspaceOrOnly(tx, name)
        const user = getUser(tx, input.args[0] ?? '')
        removeUser(tx, user, workspace)
        return { user: user.name, from: workspace ? ` from the workspace "${workspace.name}"` : '' }
      })
      io.status(`"${removed.user}" was removed${removed.from}.\n`)
      return 0
    }),
}

const usersPassword: Command = {
  name: 'users password',
  summary: 'Set the password of a user for the application.',
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

const usersLink: Command = {
  name: 'users link',
  summary: 'Print a link to set a password and sign in to the application.',
  parameters: ['<name>'],
  flags: [flag('--reset', 'also remove their passkeys and their link to the provider'), JSON_FLAG, DB_FLAG],
  remarks: [
    'The link works once, for 30 minutes. A new link of the user voids older ones, and so does a change of the role,',
    'workspaces or password. It leads to the --public-url of the server that runs on this database, else to where it',
    'listens; while none runs, to DAYBOOK_PUBLIC_URL, or to the address of the last server. --reset is for a lost or',
    'stolen device: it also ends the sessions of the user. Without it, the person who opens the link sees which',
    'passkeys stay valid.',
  ],
  examples: ['daybook users link owner', 'daybook users link mira --reset'],
  run: (input, io) =>
    withDatabase(input, io, async (db) => {
      const user = getUser(db, input.args[0] ?? '')
      if (listMembershipsOf(db, user.pk).length === 0)
        throw refused(
          `"${user.name}" belongs to no workspace; add them to one with "daybook users add" first.`,
        )
      const origin = originFor(db, input, io)
      const { link, expiresAt } = await db.write((tx) => {
        if (input.flags.reset) {
          deletePasskeysOf(tx, user.pk)
          deleteProviderLink(tx, user.pk)
          endSessionsOf(tx, user.pk)
        }
        return createSetupLink(tx, { userPk: user.pk, maker: null }, origin)
      })
      return show(input, io, { link, expires_at: isoTimestamp(expiresAt) }, () => io.out(`${link}\n`))
    }),
}

export const usersCommands: readonly Command[] = [
  usersAdd,
  usersList,
  usersRole,
  usersAccess,
  usersRemove,
  usersPassword,
  usersLink,
]
