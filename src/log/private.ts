import { and, eq } from 'drizzle-orm'
import { insertInto, runBy, update } from '../storage/query.ts'
import { privateChanges } from '../storage/schema/changes.ts'
import type { SqlPart } from '../storage/sql.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { keyOf, kindRange, lastChange, storedId } from './log.ts'

/*
 * Objects that are private to one user. Other readers of the log see the changes of such an object up to the change
 * that made it private. They see its changes again from the change that made it public.
 */

/** The last key of an open range. */
const OPEN = Number.MAX_SAFE_INTEGER

const insert = insertInto(privateChanges)
const end = runBy((last: number, object: Buffer) =>
  update(privateChanges, { last }, and(eq(privateChanges.object, object), eq(privateChanges.last, OPEN))),
)

/** The key of the next change that a transaction logs in the workspace. */
export const nextKey = (tx: Tx, workspace: number): number => keyOf(workspace, lastChange(tx, workspace) + 1)

/** Makes the changes of an object private from this key on. */
export const beginPrivate = (tx: Tx, id: string, user: string, first: number): void =>
  void insert(tx, { object: storedId(id), user, first, last: OPEN })

/** Makes the changes of an object public from now on. */
export const endPrivate = (tx: Tx, workspace: number, id: string): void =>
  void end(tx, nextKey(tx, workspace) - 1, storedId(id))

const [FIRST_KIND, LAST_KIND] = kindRange('row_view')

/** Matches the changes that the user may see. A scalar subquery, so the statement stays prepared. */
export const seenBy = (user: string): SqlPart => ({
  text: `(kind NOT BETWEEN ${FIRST_KIND} AND ${LAST_KIND} OR (SELECT count(*) FROM private_changes p
    WHERE p.object = changes.object AND changes.key BETWEEN p.first AND p.last AND p.user <> ?) = 0)`,
  values: [user],
})
