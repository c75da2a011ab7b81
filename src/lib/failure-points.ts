/**
 * The moments at which a crash or a failure is most dangerous, by component. Tests end the process there, or cut its
 * power. Without such a test a point costs one check of an undefined variable.
 */
export const FAILURE_POINTS = {
  /** A group of writes is committed but not synced. */
  committed: 'write',
  /** A group is on the disk and not acknowledged. */
  synced: 'write',
  /** Listeners are notified of a write, and its response is not sent. */
  notified: 'write',
  /** A thread has written a task and not committed it. */
  'task written': 'write',
  /** Some steps of a job are written and not committed. */
  'job stepped': 'job',
  /** A checkpoint ends, and the log has not restarted. */
  checkpointed: 'checkpoint',
  /** A delivery is claimed and not sent. */
  'delivery claimed': 'delivery',
  /** The receiver has responded, and the outcome is not saved. */
  'delivery answered': 'delivery',
  /** The outcomes of deliveries are written and not committed. */
  'delivery recorded': 'delivery',
  /** A migration is applied and not committed. */
  migrated: 'migration',
  /** A copy of the database is written and not verified. */
  'copy written': 'copy',
  /** Its epoch has begun. */
  'copy begun': 'copy',
  'copy synced': 'copy',
  'copy renamed': 'copy',
  /** The copy of a backup lies beside the database. */
  'restore copied': 'restore',
  /** The WAL of the old database is checkpointed. */
  'restore checkpointed': 'restore',
  /** The old database has its second name. */
  'restore linked': 'restore',
  'restore renamed': 'restore',
  /** A WAL or a journal of the old database is moved. */
  'restore moved': 'restore',
  'restore finished': 'restore',
} as const

export type FailurePoint = keyof typeof FAILURE_POINTS

let hook: ((point: FailurePoint) => void) | undefined

export const reach = (point: FailurePoint): void => hook?.(point)

/** Calls `onReached` at each point of this thread; undefined removes it. Only for tests. */
export function watchFailurePoints(onReached: typeof hook): void {
  hook = onReached
}
