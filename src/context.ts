import type { Config } from './config.ts'
import { type Kernel, openKernel, type Server } from './kernel/call.ts'
import type { Caller, Credentials } from './kernel/caller.ts'
import { hides, type Kind, NOWHERE } from './kernel/caller.ts'
import type { Bus } from './lib/bus.ts'
import { busOf } from './log/log.ts'
import { type CopySettings, isWritableCopy, remoteOf } from './log/mirror-guard.ts'

/** The cost of hashing a password with Argon2id: KiB of memory, and passes over it. */
export interface PasswordCost {
  readonly memoryCost: number
  readonly timeCost: number
}

/** The dependencies of every service. Services use the clock, the storage and the settings only through these. */
export interface AppContext extends Server, CopySettings {
  readonly config: Config
  readonly bus: Bus
  /** Runs operations: the only way for callers to reach data. */
  readonly kernel: Kernel
  readonly credentials: Credentials
  /** Replaces `PASSWORD_COST`; tests use a lower one. */
  readonly passwordCost?: PasswordCost
}

export type { Caller }

/** The context for serving a database. Its kernel must be closed before the database. */
export function contextOn(
  opened: Pick<AppContext, 'config' | 'db' | 'clock' | 'log' | 'credentials'>,
): AppContext {
  const { db, clock, log, credentials } = opened
  const bus = busOf(db)
  const mirrorOf = remoteOf(db)
  return {
    ...opened,
    bus,
    ...openKernel({ db, listeners: bus, clock, log, credentials }),
    ...(mirrorOf !== undefined && { mirrorOf, isMirrorWritable: isWritableCopy(db) }),
  }
}

/** Whether all writes are refused. */
export const isReadOnlyCopy = ({ mirrorOf, isMirrorWritable }: CopySettings) =>
  mirrorOf !== undefined && isMirrorWritable !== true

/** The workspace of a read, and the part of it that the caller can access. */
export interface InWorkspace extends Pick<Caller, 'workspacePk' | 'rights'> {
  /** Without it, the read includes the private data of all users. */
  readonly userId?: string
}

/** The whole workspace, for the server's own work. */
export const wholeWorkspace = (workspacePk: number): InWorkspace => ({ workspacePk, rights: undefined })

/** The scope of one kind in a read over several kinds; a hidden kind is read in an empty workspace. */
export const placeFor = (caller: InWorkspace, kind: Kind): InWorkspace =>
  hides(caller.rights, kind) ? { ...caller, workspacePk: NOWHERE } : caller
