import { createApi } from '../../src/api.ts'
import { readConfig } from '../../src/config.ts'
import type { AppContext } from '../../src/context.ts'
import { openKernel } from '../../src/kernel/call.ts'
import type { Access } from '../../src/kernel/caller.ts'
import { createLog } from '../../src/lib/log.ts'
import { VERSION } from '../../src/lib/version.ts'
import { busOf } from '../../src/log/log.ts'
import { findFaults } from '../../src/operation/integrity.ts'
import { createKey } from '../../src/people/accounts/keys.ts'
import { credentials } from '../../src/people/sessions/sessions.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { Follower } from '../../src/transfer/mirror/follower.ts'
import { makeCopy } from '../../src/transfer/mirror/mirror.ts'
import {
  type LocalChange,
  listLocalChanges,
  pushLocalChanges,
} from '../../src/transfer/mirror/overlay/push.ts'
import { resetLocalChanges } from '../../src/transfer/mirror/overlay/suspended-changes.ts'
import { Remote } from '../../src/transfer/mirror/remote.ts'
import { resolveSelection, type SelectionRequest } from '../../src/transfer/mirror/selection.ts'
import { makeWritable, statusOf } from '../../src/transfer/mirror/state.ts'
import { verifyCopy } from '../../src/transfer/mirror/verify.ts'
import { newFolder } from './process.ts'
import { type Client, clientOf, type TestService } from './service.ts'
import { startThreadHere } from './threads.ts'

export const EVERYTHING: SelectionRequest = { structures: null, hasFiles: true, omitFields: [] }

/** A copy of a service in this process, which reads the service over a real connection. */
export interface TestMirror extends Client {
  readonly ctx: AppContext
  readonly url: string
  readonly file: string
  /** Applies everything that the remote has and the copy lacks. */
  catchUp(): Promise<void>
  /** Pushes the local changes of a writable mirror to the remote. */
  push(isDryRun?: boolean, keepMine?: readonly string[]): Promise<readonly LocalChange[]>
  /** Resets an object, or all objects, to the state of the remote. */
  reset(id?: string): Promise<void>
  /** Returns the local changes that were not pushed. */
  localChanges(): LocalChange[]
  /** Returns what `mirror status` prints. */
  status(): ReturnType<typeof statusOf>
  /** Returns the differences that `mirror verify` finds. */
  differing(): Promise<string[]>
  /** Events to be posted, oldest first. */
  events(): { id: string; type: string; body: string }[]
  close(): Promise<void>
}

interface TestMirrorOptions {
  readonly selection?: SelectionRequest
  readonly isForwarding?: boolean
  readonly isWritable?: boolean
  /** The access of the copy's key. */
  readonly access?: Access
  /** Intercepts requests of the mirror to the remote: changes responses, or counts requests. */
  readonly between?: (request: Request, answer: () => Promise<Response>) => Promise<Response>
}

export async function mirrorOf(
  service: TestService,
  {
    selection: request = EVERYTHING,
    isForwarding = false,
    isWritable = false,
    access,
    between,
  }: TestMirrorOptions = {},
): Promise<TestMirror> {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (asked) => {
      if (!between) return service.app.fetch(asked)
      // An uncompressed response can be changed on the way.
      asked.headers.delete('accept-encoding')
      return between(asked, async () => service.app.fetch(asked))
    },
  })
  const folder = newFolder()
  const { clock } = service
  const url = `http://127.0.0.1:${server.port}`
  const key = await service.newKey({
    scope: isWritable ? 'write' : 'read',
    ...(access && { access }),
  })
  const stop = new AbortController()
  const remote = new Remote({ url, key, clock, signal: stop.signal })
  const log = createLog('silent', clock, () => {})
  const file = folder.file('mirror.db')
  const workspace = await remote.connect()
  const selection = resolveSelection(request, await remote.structures())
  const ownKey = await makeCopy({
    clock,
    log,
    file,
    remote,
    workspace,
    selection,
    platform: { startThread: startThreadHere },
    onProgress: () => {},
  })
  const db = openDatabase({
    file,
    programVersion: VERSION,
    clock,
    log,
    role: 'server',
    startThread: startThreadHere,
  })
  await db.write((tx): void => makeWritable(tx, isWritable, isForwarding && isWritable))
  const bus = busOf(db)
  const config = readConfig({ DAYBOOK_DB: file })
  const ctx: AppContext = {
    config,
    db,
    ...openKernel({ db, listeners: bus, clock, log, credentials, startThread: startThreadHere }),
    bus,
    clock,
    log,
    credentials,
    mirrorOf: url,
    isMirrorWritable: isWritable,
  }
  const app = createApi(ctx)
  const follower = new Follower(ctx, { remote, signal: stop.signal, isForwarding, onEvents: () => {} })
  const catchUp = async () => {
    for (;;) {
      try {
        return await follower.catchUp(0)
      } catch (error) {
        // Data that changed during the read is read again, as in the follower's loop.
        if ((error as { code?: string }).code !== 'stale') throw error
      }
    }
  }
  return {
    ...clientOf(app, ownKey),
    ctx,
    url,
    file,
    catchUp,
    push: (isDryRun = false, keepMine = []) =>
      pushLocalChanges(db, remote, { isDryRun, keepMine, receive: () => catchUp().then(() => true) }),
    reset: (id) => db.write((tx): void => resetLocalChanges(tx, 1, id)),
    localChanges: () => listLocalChanges(db),
    status: () => statusOf(db, file, clock.now()),
    differing: async () => {
      // A separate connection, as the command has.
      const own = openDatabase({ file, programVersion: VERSION, clock, log, role: 'command' })
      const { kinds } = await verifyCopy(own, remote).finally(() => own.close())
      return kinds.flatMap(({ kind, differing }) => differing.map((id) => `${kind} ${id}`))
    },
    events: () => db.sql.all('SELECT id, type, body FROM mirror_events ORDER BY pk'),
    close: async () => {
      stop.abort()
      await server.stop(true)
      await ctx.kernel.close()
      await db.finishCheckpoint()
      db.close()
      folder.remove()
    },
  }
}

/** Starts to follow the remote again, as a restarted program does. */
export async function newFollower({ ctx, url }: TestMirror, service: TestService) {
  const stop = new AbortController()
  const { signal } = stop
  const key = await service.newKey({ scope: 'read' })
  const remote = new Remote({ url, key, clock: service.clock, signal })
  const follower = new Follower(ctx, { remote, signal, isForwarding: false, onEvents: () => {} })
  return {
    catchUp: () => follower.catchUp(0),
    run: () => follower.run(),
    stop: () => stop.abort(),
  }
}

/** Creates a key of the copy with the scope `write`. */
export const writeKeyOf = (mirror: TestMirror): Promise<string> =>
  mirror.ctx.db.write((tx): string => {
    const key = { workspace: 1, user: 1, name: 'writes', expiresAt: null }
    return createKey(tx, { ...key, scope: 'write' }).secret
  })

/** Returns the faults that `daybook check` finds over a separate connection. */
export function faultsOf({ ctx: { clock, log }, file }: TestMirror): string[] {
  const db = openDatabase({ file, programVersion: VERSION, clock, log, role: 'command' })
  try {
    return findFaults(db)
  } finally {
    db.close()
  }
}
