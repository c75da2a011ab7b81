import { existsSync } from 'node:fs'
import { takeServerLock } from '../../db/connection/server-lock.ts'
import { features } from '../../features.ts'
import { systemClock } from '../../lib/clock.ts'

import { detach, getState, statusOf } from '../../mirror/state.ts'
import { type Verification, verifyCopy } from '../../mirror/verify.ts'
import { fail, refused } from '../../refusal.ts'
import type { Input } from '../command.ts'
import type { Io } from '../io.ts'
import { printJson, printTable } from '../output.ts'
import { databaseOf, remoteOf, withCopy } from './copy.ts'

/** Prints where a copy is; 1 when it does not follow. */
export const showStatus = (input: Input, io: Io): Promise<number> =>
  withCopy(input, io, (db) => {
    const { isFollowing, status } = statusOf(db, features, db.file, systemClock.now())
    if (input.flags.json) printJson(io, status)
    else {
      const { remote, workspace, lag_ms, last_contact_at, counts } = status
      io.out(`Copy of "${workspace.name}" at ${remote}\n`)
      io.out(
        `${isFollowing ? 'Follows' : 'Does not follow'}; ${lag_ms} ms behind, last contact ${last_contact_at}\n`,
      )
      printTable(
        io,
        ['KIND', 'COUNT'],
        Object.entries(counts).map(([kind, count]) => [kind, String(count)]),
      )
    }
    return isFollowing ? 0 : 1
  })

/** Compares a copy with its remote and prints what differs; 1 when anything does. */
export const verifyWithRemote = (input: Input, io: Io): Promise<number> =>
  withCopy(input, io, async (db) => {
    const stop = new AbortController()
    const remote = remoteOf(getState(db, db.file).remote, io, stop.signal)
    const verification = await verifyCopy(db, remote)
    if (input.flags.json) printJson(io, presentVerification(verification))
    else printVerification(verification, io)
    return verification.isIdentical ? 0 : 1
  })

const presentVerification = ({ isIdentical, missing, kinds }: Verification) => ({
  identical: isIdentical,
  missing_changes: missing,
  kinds,
})

function printVerification({ isIdentical, missing, kinds }: Verification, io: Io): void {
  printTable(
    io,
    ['KIND', 'REMOTE', 'COPY', 'REMOTE DIGEST', 'COPY DIGEST'],
    kinds.map(({ kind, remote, copy }) => [
      kind,
      String(remote.count),
      String(copy.count),
      remote.digest,
      copy.digest,
    ]),
  )
  for (const { kind, differing } of kinds)
    for (const id of differing) io.err(`The ${kind.replaceAll('_', ' ')} ${id} differs.\n`)
  if (missing > 0)
    io.err(`At least ${missing} changes of the remote are not in the copy; is the mirror running?\n`)
  if (isIdentical) io.status('The copy and the remote are identical.\n')
}

/** Makes a copy an ordinary database. */
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
