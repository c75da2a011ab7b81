import { isoTimestamp } from '../../../lib/dates.ts'
import { didYouMean } from '../../../lib/near-miss.ts'
import { checkedPassword, hashPassword } from '../../../people/accounts/passwords.ts'
import { getUser, listUsers } from '../../../people/accounts/users.ts'
import { getWorkspaceOrOnly } from '../../../people/accounts/workspaces.ts'
import {
  addNamedUser,
  createUserLink,
  presentMember,
  removeNamedUser,
  setMemberAccess,
  setRole,
  setUserPassword,
} from '../../../people/administration.ts'
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
import { administer, originFor, withDatabase } from '../../open-database.ts'
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
    administer(input, io, async (db, call) => {
      const role = ROLES.find((known) => known === textFlag(input, 'role')) ?? 'editor'
      const [name = ''] = input.args
      const workspace = textFlag(input, 'workspace')
      const added = await call(addNamedUser, { name, workspace, role, origin: originFor(db, input, io) })
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
    return administer(input, io, async (_db, call) => {
      const changed = await call(setRole, { name, workspace: textFlag(input, 'workspace'), role })
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
    const [name = ''] = input.args
    return administer(input, io, async (db, call) => {
      const workspace = getWorkspaceOrOnly(db, textFlag(input, 'workspace'))
      if (given !== undefined) {
        const access = given === 'all' ? null : readAccessFlag(db, workspace, given)
        await call(setMemberAccess, { name, workspace: workspace.id, access })
      }
      const member = presentMember(db, workspace, name)
      return show(input, io, member, () =>
        io.out(
          `"${member.name}" reaches ${member.access === null ? 'the whole workspace' : JSON.stringify(member.access)}.\n`,
        ),
      )
    })
  },
}

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
    administer(input, io, async (_db, call) => {
      const [name = ''] = input.args
      const { user, workspace } = await call(removeNamedUser, {
        name,
        workspace: textFlag(input, 'workspace'),
      })
      io.status(`"${user}" was removed${workspace === null ? '' : ` from the workspace "${workspace}"`}.\n`)
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
    administer(input, io, async (db, call) => {
      const [name = ''] = input.args
      const password = await io.readSecret(`Password of "${name}": `)
      const { id } = getUser(db, name)
      const hash = await hashPassword(checkedPassword(password), { line: 'users', key: id }, { db })
      const { user } = await call(setUserPassword, { id, hash })
      io.status(`The password of "${user}" was set.\n`)
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
    administer(input, io, async (db, call) => {
      const [name = ''] = input.args
      const options = { origin: originFor(db, input, io), isReset: input.flags.reset === true }
      const { link, expiresAt } = await call(createUserLink, { name, ...options })
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
