import { existsSync } from 'node:fs'
import { systemClock } from '../../lib/clock.ts'
import { fail, refused } from '../../lib/refusal.ts'
import { counted } from '../../lib/text.ts'
import { takeServerLock } from '../../storage/connection/server-lock.ts'
import type { Db } from '../../storage/database.ts'
import {
  type LocalChange,
  listLocalChanges,
  pushLocalChanges,
  untilBack,
  WAYS_OUT,
} from '../../transfer/mirror/overlay/push.ts'
import { resetLocalChanges } from '../../transfer/mirror/overlay/suspended-changes.ts'
import { detach, getState, type MirrorState, statusOf } from '../../transfer/mirror/state.ts'
import { type Verification, verifyCopy } from '../../transfer/mirror/verify.ts'
import { type Input, listFlag } from '../command.ts'
import type { Io } from '../io.ts'
import { printJson, printTable, show } from '../output.ts'
import { bringUpToDate, databaseOf, remoteOf, withCopy } from './follow.ts'

/** Prints the state of a copy; exit code 1 if it does not follow. */
export const showStatus = (input: Input, io: Io): Promise<number> =>
  withCopy(input, io, (db) => {
    const { isFollowing, status } = statusOf(db, db.file, systemClock.now())
    if (input.flags.json) printJson(io, status)
    else {
      const { remote, workspace, lag_ms, last_contact_at, counts, problem, left_out = {} } = status
      io.out(`Copy of "${workspace.name}" at ${remote}\n`)
      io.out(
        `${isFollowing ? 'Follows' : 'Not following'}; ${lag_ms} ms behind, last contact ${last_contact_at}\n`,
      )
      if (problem !== undefined) io.out(`${problem}\n`)
      printTable(io, Object.entries(counts), { KIND: ([kind]) => kind, COUNT: ([, count]) => String(count) })
      const left = Object.entries(left_out).map(([kind, count]) => `${kind} ${count}`)
      if (left.length > 0)
        io.out(`Omitted because this daybook does not know them; upgrade it: ${left.join(', ')}\n`)
    }
    return isFollowing ? 0 : 1
  })

/** Compares a copy with its remote and prints the differences; exit code 1 if there are any. */
export const verifyWithRemote = (input: Input, io: Io): Promise<number> =>
  withCopy(input, io, async (db) => {
    const verification = await verifyCopy(db, remoteOf(getState(db, db.file).remote, input, io))
    if (input.flags.json) printJson(io, verification)
    else printVerification(verification, io)
    return verification.identical ? 0 : 1
  })

function printVerification({ identical, missing_changes: missing, kinds }: Verification, io: Io): void {
  printTable(io, kinds, {
    KIND: ({ kind }) => kind,
    REMOTE: ({ remote }) => String(remote.count),
    COPY: ({ copy }) => String(copy.count),
    'REMOTE DIGEST': ({ remote }) => remote.digest,
    'COPY DIGEST': ({ copy }) => copy.digest,
  })
  for (const { kind, differing } of kinds)
    for (const id of differing) io.err(`The ${kind.replaceAll('_', ' ')} ${id} differs.\n`)
  if (missing > 0)
    io.err(`The copy lacks at least ${counted(missing, 'change')} of the remote; is the mirror running?\n`)
  if (identical) io.status('The copy and the remote are identical.\n')
}

/** Turns a copy into an ordinary database. */
export async function detachCopy(input: Input, io: Io): Promise<number> {
  const file = databaseOf(input, io)
  const lock = existsSync(file)
    ? (takeServerLock(file) ?? fail(refused(`A daybook server runs on ${file}; stop it first.`)))
    : undefined
  try {
    return await withCopy(input, io, async (db) => {
      const remote = await db.write((tx): string => detach(tx, db.file))
      io.status(`${db.file} no longer follows ${remote}; "daybook serve --db ${db.file}" serves it.\n`)
      return 0
    })
  } finally {
    lock?.release()
  }
}

/** Refuses a mirror that cannot have local changes. */
function getWritable(db: Db): MirrorState {
  const state = getState(db, db.file)
  if (state.isWritable === 1) return state
  throw refused(
    `${db.file} is a read-only copy; "daybook mirror ${state.remote} --writable" allows local changes of notes and records.`,
  )
}

/** Prints the local changes of a writable mirror. */
export const showDifferences = (input: Input, io: Io): Promise<number> =>
  withCopy(input, io, (db) => {
    getWritable(db)
    const changes = listLocalChanges(db)
    const json = { changes: changes.map(({ before, after, isLost, ...shown }) => shown) }
    return show(input, io, json, () => {
      printChanges(changes, io)
      if (changes.some(({ conflict }) => conflict !== null)) io.status(`Conflicts: ${WAYS_OUT}\n`)
    })
  })

function printChanges(changes: readonly LocalChange[], io: Io): void {
  if (changes.length === 0) {
    io.status('There are no local changes.\n')
    return
  }
  printTable(io, changes, {
    KIND: ({ kind }) => kind,
    ID: ({ id }) => id,
    CHANGE: ({ op }) => op,
    NAME: ({ label }) => label ?? '',
    WHAT: ({ changed }) => changed.join(', '),
    CONFLICT: ({ conflict }) => conflict ?? '',
  })
}

/** Resets one object of a writable mirror, or all, to the remote state. */
export const resetChanges = (input: Input, io: Io): Promise<number> =>
  withCopy(input, io, async (db) => {
    const { workspace } = getWritable(db)
    const [id] = input.args
    const changes = listLocalChanges(db)
    if (id !== undefined && !changes.some((change) => change.id === id))
      throw refused(`There are no local changes of ${id}; "daybook mirror diff" lists the changed objects.`)
    await db.write((tx): void => resetLocalChanges(tx, workspace, id))
    io.status(`Reset: ${id ?? counted(changes.length, 'change')}.\n`)
    return 0
  })

/** Pushes the local changes of a writable mirror to the remote. */
export const pushChanges = (input: Input, io: Io): Promise<number> =>
  withCopy(input, io, async (db) => {
    const state = getWritable(db)
    const isDryRun = input.flags['dry-run'] === true
    const keepMine = listFlag(input, 'keep-mine')
    const receive = (pushed: readonly LocalChange[]) => receivePushed(input, io, db, pushed)
    const remote = remoteOf(state.remote, input, io)
    const pushed = await pushLocalChanges(db, remote, { isDryRun, keepMine, receive })
    if (isDryRun) printChanges(pushed, io)
    else if (pushed.length === 0) io.status('There is nothing to push.\n')
    else await followPushed(input, io, db, pushed)
    return 0
  })

async function followPushed(input: Input, io: Io, db: Db, pushed: readonly LocalChange[]): Promise<void> {
  io.status(`Pushed: ${counted(pushed.length, 'change')}.\n`)
  if (!(await receivePushed(input, io, db, pushed))) io.status('The mirror has not received them back yet.\n')
}

/** Brings the copy up to date, or waits until its server has done so; false after a time limit. */
async function receivePushed(input: Input, io: Io, db: Db, pushed: readonly LocalChange[]): Promise<boolean> {
  const lock = takeServerLock(db.file)
  lock?.release()
  if (!lock) return untilBack(db, pushed)
  await bringUpToDate(input, io, getState(db, db.file))
  return true
}
