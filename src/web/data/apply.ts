import { api, type Call } from './api.ts'
import type { paths } from './api-types.d.ts'
import { Refused } from './request.ts'

type Body = NonNullable<Call<NonNullable<paths['/v1/changes/apply']['post']>>['body']>

/** A change of a note or a row, as one of many. */
export type AppliedChange = Body['changes'][number]

/** The API takes this many in one transaction. */
const MOST = 1_000

/** Why changes were not written; `at` is the one among them that was refused, where the server named one. */
export class NotApplied extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly at: number | undefined,
  ) {
    super(message)
  }
}

const PLACE = /^changes\[(\d+)\], the \w+ [\da-f-]+: /

function notApplied(error: unknown, from: number): never {
  if (!(error instanceof Refused)) throw error
  const [place, at] = PLACE.exec(error.message) ?? []
  throw new NotApplied(
    error.message.slice(place?.length ?? 0),
    error.code,
    at === undefined ? undefined : from + Number(at),
  )
}

/** Takes back transactions, which are given in the order in which they were made. */
export async function takeBack(transactions: readonly string[]): Promise<void> {
  for (const transaction of transactions.toReversed())
    await api.post('/v1/changes/undo', { body: { transaction } })
}

/**
 * Writes changes of notes and rows, all of them or none: up to 1,000 are one transaction, of more the first ones are taken
 * back where a later one is refused. Returns the transactions. Throws `NotApplied`.
 */
export async function applyChanges(changes: readonly AppliedChange[]): Promise<readonly string[]> {
  const transactions: string[] = []
  for (let from = 0; from < changes.length; from += MOST) {
    try {
      const body = { changes: changes.slice(from, from + MOST) }
      const { transaction } = await api.post('/v1/changes/apply', { body })
      if (transaction !== null) transactions.push(transaction)
    } catch (error) {
      await takeBack(transactions)
      notApplied(error, from)
    }
  }
  return transactions
}
