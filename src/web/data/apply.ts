import { api, type Call } from './api.ts'
import type { paths } from './api-types.d.ts'
import { keyOfChange } from './note-text.ts'
import type { RowsAction } from './pending-actions.ts'
import { type Fault, Refused } from './request.ts'

type Body = NonNullable<Call<NonNullable<paths['/v1/changes/apply']['post']>>['body']>

/** A change of a note or row in a transaction. */
export type AppliedChange = Body['changes'][number]

/** The maximum number of changes in a transaction of the API. */
export const MAX_CHANGES = 1_000

/** The changes of an action, for one transaction. */
export const changesOf = ({ structure, created, changed }: Omit<RowsAction, 'kind'>): AppliedChange[] => [
  ...changed.map(
    ({ id, updatedAt, data }): AppliedChange => ({
      kind: 'record',
      op: 'updated',
      id,
      if_unchanged: updatedAt,
      data,
    }),
  ),
  ...created.map(
    ({ id, data }): AppliedChange => ({ kind: 'record', op: 'created', id, structure: structure.id, data }),
  ),
]

/**
 * Writes changes in one transaction, under a key of their own: sent again, they are not written again. For changes that
 * are new or conditional only.
 */
export const applyOnce = (changes: readonly AppliedChange[]) => {
  const body = { changes: [...changes] }
  return api.post('/v1/changes/apply', { body, headers: keyOfChange(body) })
}

/** The changes were not written; `at` is the index of the rejected one, if the server named one. */
export class NotApplied extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly at: number | undefined,
    readonly fault?: Fault,
  ) {
    super(message)
  }
}

function notApplied(error: unknown, from: number): never {
  if (!(error instanceof Refused)) throw error
  const { fault, code, message } = error
  const [list, index] = fault?.path ?? []
  const at = list === 'changes' && index !== undefined ? from + Number(index) : undefined
  throw new NotApplied(fault?.detail ?? message, code, at, fault)
}

/** Undoes transactions, which are passed oldest first. */
export async function undoTransactions(transactions: readonly string[]): Promise<void> {
  for (const transaction of transactions.toReversed())
    await api.post('/v1/changes/undo', { body: { transaction } })
}

/**
 * Writes changes of notes and rows, all or none, in transactions of up to 1,000. If a later transaction is rejected, the
 * earlier ones are undone. Returns the transactions. Throws `NotApplied`.
 */
export async function applyChanges(
  changes: readonly AppliedChange[],
  send = (part: readonly AppliedChange[]) => api.post('/v1/changes/apply', { body: { changes: [...part] } }),
): Promise<readonly string[]> {
  const transactions: string[] = []
  for (let from = 0; from < changes.length; from += MAX_CHANGES) {
    try {
      const { transaction } = await send(changes.slice(from, from + MAX_CHANGES))
      if (transaction !== null) transactions.push(transaction)
    } catch (error) {
      await undoTransactions(transactions)
      notApplied(error, from)
    }
  }
  return transactions
}
