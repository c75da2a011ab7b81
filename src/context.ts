import { hides, type Kind, NOWHERE } from './access/rights.ts'
import { type Bus, busOf } from './changes/bus.ts'
import { isWritableCopy, remoteOf } from './changes/mirror-guard.ts'
import type { Config } from './config.ts'
import type { Db } from './db/database.ts'
import { openWorker, type WorkerClient } from './db/worker/client.ts'
import type { FeatureHooks } from './feature-hooks.ts'
import { Kernel } from './kernel/call.ts'
import type { Caller } from './kernel/caller.ts'
import type { Clock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'

/** What Argon2id takes to hash a password: KiB of memory, and passes over it. */
export interface PasswordCost {
  readonly memoryCost: number
  readonly timeCost: number
}

/** The dependencies of every service: it reaches the clock, the storage and the settings only through these. */
export interface AppContext {
  readonly config: Config
  readonly db: Db
  /** Runs queries and tasks that would delay short requests. */
  readonly worker: WorkerClient
  readonly bus: Bus
  /** Runs operations: the only way for callers to reach data. */
  readonly kernel: Kernel
  readonly clock: Clock
  readonly log: Log
  readonly features: FeatureHooks
  /** Another cost of hashing passwords than `PASSWORD_COST`; tests take a lower one. */
  readonly passwordCost?: PasswordCost
  /** The address of the remote of which this server is a copy. */
  readonly mirrorOf?: string
  /** Whether notes and records may be changed in the copy. */
  readonly isMirrorWritable?: boolean
}

export type { Caller }

/** What a database is served with; whoever closes it ends the `worker` first. */
export function contextOn(
  opened: Pick<AppContext, 'config' | 'db' | 'clock' | 'log' | 'features'>,
): AppContext {
  const { db, clock, log } = opened
  const bus = busOf(db)
  const mirrorOf = remoteOf(db)
  const worker = openWorker({ db, listeners: bus, clock, log })
  return {
    ...opened,
    bus,
    worker,
    kernel: new Kernel({ db, worker, clock, log, findStanding: opened.features.findStanding }),
    ...(mirrorOf !== undefined && { mirrorOf, isMirrorWritable: isWritableCopy(db) }),
  }
}

/** Whether nobody may write anything. */
export const isReadOnlyCopy = ({
  mirrorOf,
  isMirrorWritable,
}: Pick<AppContext, 'mirrorOf' | 'isMirrorWritable'>) => mirrorOf !== undefined && isMirrorWritable !== true

/** The workspace in which a read looks, and what of it the caller reaches; it needs no more of its caller. */
export interface InWorkspace extends Pick<Caller, 'workspacePk' | 'rights'> {
  /** Without it also what one user alone sees. */
  readonly userId?: string
}

/** The same alone, for a thread. */
export const placeOf = ({ workspacePk, userId, rights }: InWorkspace): InWorkspace => ({
  workspacePk,
  ...(userId !== undefined && { userId }),
  rights,
})

/** The whole workspace, for what the server does by itself. */
export const wholeWorkspace = (workspacePk: number): InWorkspace => ({ workspacePk, rights: undefined })

/** Where a read that covers several kinds looks for one of them: where that is hidden, in a workspace that has none. */
export const placeFor = (caller: InWorkspace, kind: Kind): InWorkspace =>
  hides(caller.rights, kind) ? { ...placeOf(caller), workspacePk: NOWHERE } : placeOf(caller)
