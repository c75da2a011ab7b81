import type { Caller } from '../../kernel/caller.ts'
import { readAccess } from '../../kernel/caller.ts'
import { read, type Snapshot, write } from '../../kernel/operation.ts'
import { isoOrNull, isoTimestamp } from '../../lib/dates.ts'
import { fail, notFound } from '../../lib/refusal.ts'
import { notifyAfterCommit } from '../../log/log.ts'
import { disconnect, isAlive, type ListedApp, listAppsOf } from './apps.ts'

const covers = 'nothing'

const presentApp = ({
  id,
  name,
  host,
  scope,
  access,
  userId,
  userName,
  createdAt,
  lastUsedAt,
}: ListedApp) => ({
  id,
  client: { name, host },
  scope,
  access: readAccess(access),
  user: { id: userId, name: userName },
  created_at: isoTimestamp(createdAt),
  last_used_at: isoOrNull(lastUsedAt),
})

/** The apps that the caller has connected, or all of the workspace if the caller is an owner; oldest first. */
const managedApps = (source: Snapshot, { workspacePk, userId, role }: Caller): ListedApp[] =>
  listAppsOf(source, workspacePk).filter(
    (app) => isAlive(app, source.now) && (role === 'owner' || app.userId === userId),
  )

export const listConnectedApps = read({
  name: 'account.apps',
  covers,
  run: (snapshot, caller) => ({ grants: managedApps(snapshot, caller).map(presentApp) }),
})

/** Disconnects an app, whose calls in progress end. */
export const disconnectApp = write({
  name: 'account.disconnectApp',
  covers,
  run: (tx, caller, { id }: { id: string }) => {
    disconnect(tx, managedApps(tx, caller).find((app) => app.id === id) ?? fail(notFound('connected app')))
    notifyAfterCommit(tx)
    return { deleted: true, id }
  },
})
