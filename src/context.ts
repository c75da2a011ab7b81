import type { Bus } from './changes/bus.ts'
import type { Surface } from './changes/record-change.ts'
import type { Config } from './config.ts'
import type { Db } from './db/database.ts'
import type { WorkerClient } from './db/worker/client.ts'
import type { FeatureHooks } from './feature-hooks.ts'
import type { Clock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'

/** What every service is given: the only way to the clock, the storage and the settings. */
export interface AppContext {
  readonly config: Config
  readonly db: Db
  /** Runs what would keep short requests waiting. */
  readonly worker: WorkerClient
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly features: FeatureHooks
}

/** Who makes a call, and in which workspace. */
export interface Caller {
  readonly workspacePk: number
  readonly workspaceId: string
  readonly userId: string
  /** Null on surfaces without a key: the application and the command line. */
  readonly keyId: string | null
  readonly keyName: string | null
  /** Fixed when the key was made. */
  readonly scope: 'write' | 'read'
  /** Whether this call may write: the key's scope and the user's role together. */
  readonly mayWrite: boolean
  readonly surface: Surface
  /** Aborts when the client goes away. */
  readonly signal?: AbortSignal
}

/** The workspace in which something is looked up: all that a read needs of its caller. */
export type InWorkspace = Pick<Caller, 'workspacePk'>
