import { readAccess } from '../../../kernel/caller.ts'
import { systemClock } from '../../../lib/clock.ts'
import { isoOrNull, isoTimestamp } from '../../../lib/dates.ts'
import { type ListedKey, listKeys } from '../../../people/accounts/keys.ts'
import { getWorkspaceOrOnly } from '../../../people/accounts/workspaces.ts'
import { createUserKey, revokeNamedKey } from '../../../people/administration.ts'
import { type Command, DB_FLAG, flag, JSON_FLAG, textFlag, WrongUsage } from '../../command.ts'
import { administer, withDatabase } from '../../open-database.ts'
import { listCommand, show } from '../../output.ts'
import { readAccessFlag } from '../../read-access.ts'

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** Parses a duration such as `90d` to milliseconds. */
function lifetimeMs(text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})([mhdw])$/.exec(text) ?? []
  if (count === '') {
    throw new WrongUsage(
      `--expires must be a number up to 99999 with m, h, d or w, such as 90d, not "${text}".`,
    )
  }
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
}

const keysCreate: Command = {
  name: 'keys create',
  summary: 'Create an API key and print it, once.',
  flags: [
    flag('--name <name>', 'what the key is for', { isRequired: true }),
    flag('--scope <scope>', 'write or read (default write)', { choices: ['write', 'read'] }),
    flag('--user <name>', 'the user who owns the key (default the only member)'),
    flag('--workspace <name>', 'the workspace it gives access to (default the only one)'),
    flag('--access <list>', 'its access: notes=none,files=read,Leads=add,*=none (default everything)'),
    flag('--expires <time>', 'its lifetime: 30m, 12h, 90d, 4w (default until revoked)'),
    JSON_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'Prints nothing but the key on stdout. Only its hash is stored, so it cannot be shown again. A key never grants',
    'more than the role of its user: a write key of a viewer can only read. --access narrows it: notes (with tags, views and',
    'the like) and files to none, read or write; structures, by name or id, to none, read, add or write, * for all others.',
  ],
  examples: [
    'daybook keys create --name laptop',
    'daybook keys create --name report --scope read --expires 90d --json',
    'daybook keys create --name website --access "notes=none,files=none,Leads=add,*=none"',
  ],
  run: (input, io) => {
    const name = textFlag(input, 'name') ?? ''
    const scope = textFlag(input, 'scope') === 'read' ? 'read' : 'write'
    const expires = textFlag(input, 'expires')
    const accessFlag = textFlag(input, 'access')
    const expiresAt = expires === undefined ? null : systemClock.now() + lifetimeMs(expires)
    return administer(input, io, async (db, call) => {
      const [workspace, user] = [textFlag(input, 'workspace'), textFlag(input, 'user')]
      const access =
        accessFlag === undefined ? null : readAccessFlag(db, getWorkspaceOrOnly(db, workspace), accessFlag)
      const { id, secret } = await call(createUserKey, { workspace, user, name, scope, expiresAt, access })
      const json = { id, name, scope, key: secret, expires_at: isoOrNull(expiresAt) }
      return show(input, io, json, () => io.out(`${secret}\n`))
    })
  },
}

const presentKey = (key: ListedKey) => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  ...(key.access !== null && { access: readAccess(key.access) }),
  user: key.userName,
  workspace: key.workspaceName,
  created_at: isoTimestamp(key.createdAt),
  expires_at: isoOrNull(key.expiresAt),
  revoked_at: isoOrNull(key.revokedAt),
  last_used_at: isoOrNull(key.lastUsedAt),
})

type PresentedKey = ReturnType<typeof presentKey>

function stateOf({ revoked_at, expires_at }: PresentedKey): string {
  if (revoked_at !== null) return `revoked ${revoked_at}`
  if (expires_at === null) return 'valid until revoked'
  return `${Date.parse(expires_at) <= systemClock.now() ? 'expired' : 'expires'} ${expires_at}`
}

const keysList = listCommand({
  of: 'keys',
  summary: 'List all keys, including revoked ones, oldest first; the secrets are not shown.',
  read: (input, io) => withDatabase(input, io, (db) => listKeys(db).map(presentKey)),
  columns: {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    SCOPE: ({ scope, access }) => (access ? `${scope}, narrowed` : scope),
    USER: ({ user }) => user ?? '-',
    WORKSPACE: ({ workspace }) => workspace,
    'LAST USED': ({ last_used_at }) => last_used_at ?? 'never',
    STATE: stateOf,
  },
})

const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'Revoke a key permanently.',
  parameters: ['<name-or-id>'],
  flags: [DB_FLAG],
  remarks: ['A running server refuses the next request with the key. Revoking a key again changes nothing.'],
  examples: ['daybook keys revoke laptop', 'daybook keys revoke 019aa1f2-7c3e-7001-8a4b-6f0c2d9e1b35'],
  run: (input, io) =>
    administer(input, io, async (_db, call) => {
      const { name } = await call(revokeNamedKey, { name: input.args[0] ?? '' })
      io.status(`The key "${name}" was revoked.\n`)
      return 0
    }),
}

export const keysCommands: readonly Command[] = [keysCreate, keysList, keysRevoke]
