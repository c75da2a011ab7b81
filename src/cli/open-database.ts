import { resolve } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { readCheckpoint, readDatabaseFile, readPublicUrls } from '../config.ts'
import type { Caller, InWorkspace } from '../context.ts'
import type { Operation } from '../kernel/operation.ts'
import { once } from '../lib/bounded-cache.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { didYouMean } from '../lib/near-miss.ts'
import { Refusal } from '../lib/refusal.ts'
import { VERSION } from '../lib/version.ts'
import type { WorkspaceRow } from '../people/accounts/store.ts'
import { getWorkspaceOrOnly } from '../people/accounts/workspaces.ts'
import { findServerAddress } from '../people/sessions/server-address.ts'
import { isServed } from '../storage/connection/server-lock.ts'
import type { Db } from '../storage/database.ts'
import type { Reader } from '../storage/reader.ts'
import { type Input, textFlag } from './command.ts'
import type { Io } from './io.ts'

/** Runs `use` on the existing database that the flags name, and always closes it. */
export function withDatabase<T>(input: Input, io: Io, use: (db: Db) => T | Promise<T>): Promise<T> {
  const file = readDatabaseFile(io.env, input.flags)
  if (input.flags.verbose)
    io.status(`The database is ${resolve(file)}.
`)
  return withDatabaseFile(file, io, use)
}

/** Runs `use` on a database, and always closes it. */
export async function withDatabaseFile<T>(
  file: string,
  io: Pick<Io, 'env'>,
  use: (db: Db) => T | Promise<T>,
): Promise<T> {
  // Imported on demand: a static import would delay the start of every command.
  const { openUpgraded } = await import('../operation/upgrade.ts')
  const db = await openUpgraded({
    file,
    programVersion: VERSION,
    clock: systemClock,
    // Failures are thrown and printed as one sentence.
    log: createLog('silent', systemClock, () => {}),
    role: 'command',
    checkpoint: readCheckpoint(io.env),
  })
  try {
    return await use(db)
  } finally {
    db.close()
  }
}

/** Calls an operation as the caller of the command, and waits for the jobs that its response waits for. */
export type CallOperation = <Input, Output>(
  operation: Operation<Input, Output>,
  input: Input,
) => Promise<Output>

/** Runs `use` on the database, with operations that belong to no workspace. */
export const administer = <T>(
  input: Input,
  io: Io,
  use: (db: Db, call: CallOperation) => T | Promise<T>,
): Promise<T> =>
  withDatabase(input, io, (db) =>
    use(db, async (operation, sent) => {
      const { kernel, ownCredential } = await kernelOn(db)
      return kernel.call(operation, ownCredential(operation.covers), sent)
    }),
  )

/** The kernel of a command. */
async function kernelOn(db: Db) {
  const [{ openCommandKernel, ownCredential }, { busOf }, { credentials }] = await Promise.all([
    import('../kernel/call.ts'),
    import('../log/log.ts'),
    import('../people/sessions/sessions.ts'),
  ])
  const log = createLog('silent', systemClock, () => {})
  const options = { db, listeners: busOf(db), clock: systemClock, log, credentials }
  return { kernel: openCommandKernel(options), ownCredential }
}

/** Runs `use` on the workspace that `--workspace` names, by default the only one. */
export const inWorkspace = <T>(
  input: Input,
  io: Io,
  use: (db: Db, caller: Caller, call: CallOperation) => T | Promise<T>,
): Promise<T> =>
  withDatabase(input, io, (db) => {
    const caller = commandCaller(getWorkspaceOrOnly(db, textFlag(input, 'workspace')))
    const opened = once(() => kernelOn(db))
    return use(db, caller, async (operation, sent) => (await opened()).kernel.callAs(caller, operation, sent))
  })

/**
 * The caller of commands. They write without a key, and their events have the source `web`, like those of the
 * application.
 */
export const commandCaller = ({ pk, id }: Pick<WorkspaceRow, 'pk' | 'id'>): Caller => ({
  workspacePk: pk,
  workspaceId: id,
  userId: '',
  keyId: null,
  keyName: null,
  scope: 'write',
  role: 'owner',
  mayWrite: true,
  surface: 'web',
  rights: undefined,
})

/** Refuses a body that the API would refuse. */
export async function checkBody(schema: TSchema, body: unknown): Promise<void> {
  const { createCheck } = await import('../http/validation.ts')
  createCheck('body', schema)(body)
}

const store = () => import('../records/structures/store.ts')

/** Refuses an unknown name or id of a structure, and suggests the name that was probably meant. */
export async function checkStructure(reader: Reader, caller: InWorkspace, nameOrId: string): Promise<void> {
  const { findStructure, listStructureRows } = await store()
  if (findStructure(reader, caller, nameOrId)) return
  const names = listStructureRows(reader, caller).map(({ name }) => name)
  throw new Refusal('not_found', `There is no structure "${nameOrId}".${didYouMean(nameOrId, names)}`)
}

/** The default address of a server. */
const DEFAULT_ORIGIN = 'http://127.0.0.1:8787'

/**
 * The origin for links: that of the server running on the database, else `--public-url`, else that of the last server
 * if its port is fixed.
 */
export function originFor(db: Db, input: Input, io: Io): string {
  const server = findServerAddress(db)
  if (server && isServed(db.file)) return server.publicUrl ?? server.url
  const [given] = readPublicUrls(io.env, input.flags)
  return given ?? server?.publicUrl ?? (server?.isPortFixed === 1 ? server.url : DEFAULT_ORIGIN)
}
