import { readAccess } from '../../../kernel/caller.ts'
import { systemClock } from '../../../lib/clock.ts'
import { isoOrNull, isoTimestamp } from '../../../lib/dates.ts'
import { isAlive, type ListedApp, listApps } from '../../../people/accounts/apps.ts'
import { disconnectNamedApp } from '../../../people/administration.ts'
import { type Command, DB_FLAG } from '../../command.ts'
import { administer, withDatabase } from '../../open-database.ts'
import { listCommand } from '../../output.ts'

const presentApp = (app: ListedApp) => ({
  id: app.id,
  client: { name: app.name, host: app.host },
  scope: app.scope,
  access: readAccess(app.access),
  user: app.userName,
  workspace: app.workspaceName,
  created_at: isoTimestamp(app.createdAt),
  last_used_at: isoOrNull(app.lastUsedAt),
})

const appsList = listCommand({
  of: 'apps',
  summary: 'List the connected apps, oldest first.',
  read: (input, io) =>
    withDatabase(input, io, (db) =>
      listApps(db)
        .filter((app) => isAlive(app, systemClock.now()))
        .map(presentApp),
    ),
  columns: {
    ID: ({ id }) => id,
    NAME: ({ client }) => client.name,
    HOST: ({ client }) => client.host,
    SCOPE: ({ scope, access }) => (access ? `${scope}, narrowed` : scope),
    USER: ({ user }) => user,
    WORKSPACE: ({ workspace }) => workspace,
    'LAST USED': ({ last_used_at }) => last_used_at ?? 'never',
  },
})

const appsRevoke: Command = {
  name: 'apps revoke',
  summary: 'Disconnect an app permanently.',
  parameters: ['<id>'],
  flags: [DB_FLAG],
  remarks: ['A running server refuses the next request of the app. Its user can connect it again.'],
  examples: ['daybook apps revoke 019aa1f2-7c3e-7001-8a4b-6f0c2d9e1b35'],
  run: (input, io) =>
    administer(input, io, async (_db, call) => {
      const { name } = await call(disconnectNamedApp, { id: input.args[0] ?? '' })
      io.status(`The app "${name}" was disconnected.\n`)
      return 0
    }),
}

export const appsCommands: readonly Command[] = [appsList, appsRevoke]
