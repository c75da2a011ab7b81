import { type Static, Type } from '@sinclair/typebox'
import { parseFeedRequest, readNextChanges, startPosition } from '../../../feed/feed.ts'
import { type Change, type ChangesResponse, MAX_CHANGES } from '../../../feed/schema.ts'
import type { JsonBody } from '../../../http/responses.ts'
import { strict, text } from '../../../http/schema/types.ts'
import { parseInstant } from '../../../lib/dates.ts'
import { oldestChange } from '../../../log/cursors.ts'
import { lastChange } from '../../../log/log.ts'
import { positionBefore } from '../../../log/read.ts'
import type { Reader } from '../../../storage/reader.ts'
import { CHANGE_KINDS } from '../../../storage/schema/changes.ts'
import { limit, list, optional, output } from '../schema.ts'
import { fitted, shortenEach } from '../text/fit.ts'
import { count, inline } from '../text/markdown.ts'
import { parsedBody, readTool } from '../tool.ts'

type PresentedChange = Static<typeof Change>
type Page = Static<typeof ChangesResponse>

/** The position of a cursor in the feed's format, or of the first change since an instant. */
function positionOf(reader: Reader, workspace: number, after: string | undefined): number {
  const instant = after === undefined ? undefined : parseInstant(after)
  if (instant === undefined) return startPosition(reader, workspace, after)
  const range = { first: oldestChange(reader, workspace), last: lastChange(reader, workspace) }
  return positionBefore(reader, workspace, instant, range)
}

/** Avoids splitting a transaction, unless it is too long for one answer. */
function wholeTransactions(page: Page, shown: number): readonly PresentedChange[] {
  const { changes } = page
  const next = changes[shown]
  if (!next) return changes
  const start = changes.findIndex(({ transaction }) => transaction === next.transaction)
  return changes.slice(0, start > 0 ? start : shown)
}

/** More changes than this never fit into an answer. */
const MOST_SHOWN = 100

/** One line for each transaction, and below it one for each change. */
function linesOf(changes: readonly PresentedChange[], cut: number): string[] {
  let last: string | undefined
  return changes.flatMap((change) => {
    const { transaction, at, actor, kind, id } = change
    const line = `- ${kind} ${id} ${versionLine(change, cut)}`
    if (transaction === last) return [line]
    last = transaction
    return [`${transaction} ${at} ${actorName(actor)}`, line]
  })
}

export const changesTool = readTool({
  name: 'changes',
  covers: 'several',
  description:
    'Change log in order, by transaction (for undo): what changed, old values, who. Go on with the cursor.',
  input: strict({
    after: optional(
      text({
        minLength: 1,
        maxLength: 64,
        description:
          'cursor, time such as 2026-11-21T12:00:00Z, or "now" for just the cursor; else from the oldest kept',
      }),
    ),
    kinds: optional(text({ minLength: 1, description: 'such as note,record' })),
    limit: limit(100, MAX_CHANGES),
  }),
  output: output({ changes: list(), cursor: Type.String(), has_more: Type.Boolean() }),
  run: (snapshot, caller, { after, ...request }) => {
    const wanted = parseFeedRequest(snapshot, caller, request, CHANGE_KINDS)
    const { changes } = readNextChanges.run(snapshot, caller, {
      query: { ...wanted, limit: Math.min(wanted.limit, MOST_SHOWN) },
      after: positionOf(snapshot, caller.workspacePk, after),
      isStream: false,
    })
    const page = parsedBody<Page>(changes as JsonBody)
    return fitted(page.changes, (items, cut) => {
      const shown = wholeTransactions(page, items.length)
      const isWhole = shown.length === page.changes.length
      const cursor = isWhole ? page.cursor : (shown.at(-1)?.cursor ?? page.cursor)
      const hasMore = !isWhole || page.has_more
      const written = shortenEach(shown, cut)
      return {
        text: [
          `${count(shown.length, 'change')}; cursor ${cursor}${hasMore ? ', there are more after it' : ''}`,
          ...linesOf(written, Math.min(cut, 300)),
        ].join('\n'),
        data: { changes: written, cursor, has_more: hasMore },
      }
    })
  },
})

/* The text of a change, for the change log and for the history of a record. */

export type PresentedVersion = Pick<PresentedChange, 'at' | 'op' | 'changed' | 'previous' | 'actor'>

/** The name of the key, or else of the user, with the surface; the server itself has no name. */
export const actorName = ({ surface, name }: PresentedVersion['actor']): string =>
  name === null ? surface : `${name} (${surface})`

/** The operation, the changed attributes and their old values. */
export function versionLine({ op, changed, previous }: PresentedVersion, cut: number): string {
  const old = changed.map((key) =>
    Object.hasOwn(previous, key) ? `${key} (was ${inline(previous[key], cut) || 'none'})` : key,
  )
  return [op, old.join(', ')].filter((part) => part !== '').join(' ')
}
