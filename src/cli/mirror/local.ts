import { takeServerLock } from '../../db/connection/server-lock.ts'
import type { Db } from '../../db/database.ts'
import { type LocalChange, listLocalChanges } from '../../mirror/overlay/local-changes.ts'
import { pushLocalChanges, untilBack } from '../../mirror/overlay/push.ts'
import { resetLocalChanges } from '../../mirror/overlay/reset.ts'
import { getState, type MirrorState } from '../../mirror/state.ts'
import { refused } from '../../refusal.ts'
import type { Input } from '../command.ts'
import type { Io } from '../io.ts'
import { printJson, printTable } from '../output.ts'
import { remoteOf, withCopy } from './copy.ts'
import { bringUpToDate } from './follow.ts'

/** Refuses a mirror in which nothing can have been changed. */
function getWritable(db: Db): MirrorState {
  const state = getState(db, db.file)
  if (state.isWritable === 1) return state
  throw refused(
    `${db.file} is a read-only copy; "daybook mirror ${state.remote} --writable" lets notes and records be changed in it.`,
  )
}

/** Prints what was changed in a writable mirror. */
export const showDifferences = (input: Input, io: Io): Promise<number> =>
  withCopy(input, io, (db) => {
    getWritable(db)
    const changes = listLocalChanges(db)
    if (input.flags.json) printJson(io, { changes: changes.map(presentChange) })
    else printChanges(changes, io)
    return 0
  })

const presentChange = ({ kind, id, op, label, structureId, changed, conflict }: LocalChange) => ({
  kind,
  id,
  op,
  label,
  structure_id: structureId,
  changed,
  conflict,
})

function printChanges(changes: readonly LocalChange[], io: Io): void {
  if (changes.length === 0) {
    io.status('Nothing was changed here.\n')
    return
  }
  printTable(
    io,
    ['KIND', 'ID', 'CHANGE', 'NAME', 'WHAT', 'CONFLICT'],
    changes.map(({ kind, id, op, label, changed, conflict }) => [
      kind,
      id,
      op,
      label ?? '',
      changed.join(', '),
      conflict ?? '',
    ]),
  )
}

/** Gives an object of a writable mirror, or all, the state that the remote has. */
export const resetChanges = (input: Input, io: Io): Promise<number> =>
  withCopy(input, io, async (db) => {
    const { workspace } = getWritable(db)
    const [id] = input.args
    const changes = listLocalChanges(db)
    if (id !== undefined && !changes.some((change) => change.id === id))
      throw refused(`Nothing was changed here in ${id}; "daybook mirror diff" lists the ids of what was.`)
    await db.write((tx): void => resetLocalChanges(tx, workspace, id))
    io.status(`Reset: ${id ?? `${changes.length} changes`}.\n`)
    return 0
  })

/** Writes what was changed in a writable mirror to the remote. */
export const pushChanges = (input: Input, io: Io): Promise<number> =>
  withCopy(input, io, async (db) => {
    const state = getWritable(db)
    const stop = new AbortController()
    const isDryRun = input.flags['dry-run'] === true
    const pushed = await pushLocalChanges(db, remoteOf(state.remote, io, stop.signal), isDryRun)
    if (isDryRun) printChanges(pushed, io)
    else if (pushed.length === 0) io.status('There is nothing to push.\n')
    else await followPushed(input, io, db, pushed)
    return 0
  })

async function followPushed(input: Input, io: Io, db: Db, pushed: readonly LocalChange[]): Promise<void> {
  io.status(`Pushed: ${pushed.length} changes.\n`)
  const lock = takeServerLock(db.file)
  lock?.release()
  if (lock) await bringUpToDate(input, io, getState(db, db.file))
  else if (!(await untilBack(db, pushed)))
    io.status('The mirror has not received them yet; until it has, "daybook mirror diff" lists them.\n')
}
