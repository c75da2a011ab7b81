import type { Static } from '@sinclair/typebox'
import type { Caller } from '../context.ts'
import { createCheck } from '../http/validation.ts'
import { checkAbility, checkWrite, hides } from '../kernel/caller.ts'
import { long, write } from '../kernel/operation.ts'
import { isId } from '../lib/ids.ts'
import { atPlace, fail, invalid, nameTaken, namingPlace, notFound, Refusal, within } from '../lib/refusal.ts'
import { transactionCursor } from '../log/cursors.ts'
import { expectedInstant } from '../log/if-unchanged.ts'
import { getNoteSummary } from '../notes/store.ts'
import { ObjectWriter } from '../objects/writer.ts'
import { findRecordHead, getRecord } from '../records/rows/store.ts'
import { findStructureByPk, getStructure } from '../records/structures/store.ts'
import type { Reader } from '../storage/reader.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { type ApplyBody, NewNoteData, NoteData } from './schema.ts'

type Body = Static<typeof ApplyBody>
export type AppliedChange = Body['changes'][number]

/** Writes changes of many notes and records in one transaction; with an `Idempotency-Key`, exactly once. */
export const apply = long(
  write({
    name: 'change-feed.apply',
    covers: 'several',
    run: (tx, caller, { body }: { body: Body }) => new Application(tx, caller).apply(body),
    check: (tx, caller, { body }) => {
      checkForm(body)
      if (caller.rights)
        for (const [index, change] of body.changes.entries())
          atChange(change, index, () => checkAccess(tx, caller, change))
    },
    isTrial: ({ body }) => body.dry_run === true,
  }),
)

const checkNewNote = createCheck('body', NewNoteData)
const checkNote = createCheck('body', NoteData)

/** Refuses changes that are invalid whatever the workspace contains. */
function checkForm({ changes }: Body): void {
  const places = new Map<string, number>()
  for (const [at, change] of changes.entries()) {
    const { id } = change
    const earlier = places.get(id)
    if (earlier !== undefined)
      throw invalid(
        `changes[${at}] names the object ${id}, which changes[${earlier}] names already; send each object once.`,
        atPlace(`changes[${at}].id`),
      )
    places.set(id, at)
    atChange(change, at, () => checkChange(change))
  }
}

const nameOf = ({ kind, id }: AppliedChange, at: number): string => `changes[${at}], the ${kind} ${id}`

/** Runs an action on one of the changes; its refusal names that change. */
const atChange = <Result>(change: AppliedChange, at: number, action: () => Result): Result =>
  namingPlace(nameOf(change, at), `changes[${at}]`, action)

function checkChange({ kind, op, id, structure, if_unchanged, data }: AppliedChange): void {
  expectedInstant(if_unchanged)
  if (op === 'created' && !isId(id))
    throw invalid('"id" of what is created must be a UUIDv7 in lower case.', atPlace('id'))
  if (op === 'created' && if_unchanged !== undefined)
    throw invalid(
      '"if_unchanged" is for what exists; leave it out of what is created.',
      atPlace('if_unchanged'),
    )
  if (kind === 'note' && structure !== undefined)
    throw invalid('"structure" is for records; leave it out of a note.', atPlace('structure'))
  if (kind === 'record' && op === 'created' && structure === undefined)
    throw invalid('"structure" is required for a record that is created.', atPlace('structure'))
  if (op === 'deleted') {
    if (data !== undefined && Object.keys(data).length > 0)
      throw invalid(
        '"data" is for what is created or updated; leave it out of what is deleted.',
        atPlace('data'),
      )
  } else if (data === undefined) throw invalid('"data" is required.', atPlace('data'))
  else if (kind === 'note') within('data', () => (op === 'created' ? checkNewNote : checkNote)(data))
}

/** Refuses changes of objects that the caller may not access. */
function checkAccess(reader: Reader, caller: Caller, { kind, op, id, structure = '' }: AppliedChange): void {
  if (kind === 'note') {
    if (op !== 'created' && hides(caller.rights, 'notes')) throw notFound('note')
    checkWrite(caller.rights, 'notes')
  } else if (op === 'created') getStructure(reader, caller, structure, 'add')
  else {
    const head = findRecordHead(reader, id)
    const found = (head && findStructureByPk(reader, caller, head.structure)) ?? fail(notFound('record'))
    checkAbility(caller.rights, found, 'change')
  }
}

/** Writes the changes of a call in the caller's transaction. */
class Application {
  readonly #writer: ObjectWriter

  constructor(
    private readonly tx: Tx,
    private readonly caller: Caller,
  ) {
    this.#writer = new ObjectWriter({ tx, caller, mode: 'sent' })
  }

  apply({ changes, dry_run = false }: Body) {
    const { tx, caller } = this
    this.#refuseStale(changes)
    for (const [at, change] of changes.entries())
      if (change.op === 'updated') atChange(change, at, () => this.#writer.release(change))
    for (const [at, change] of changes.entries())
      this.#writer.write(change, (write) => atChange(change, at, write))
    this.#writer.finish()
    return {
      transaction: dry_run ? null : transactionCursor(tx, caller.workspacePk),
      applied: changes.map(({ kind, id, op }) => ({ kind, id, op })),
    }
  }

  /** Refuses taken or unknown ids first, then all changes of objects that have changed since they were read. */
  #refuseStale(changes: readonly AppliedChange[]): void {
    const stale = changes.flatMap((change, at) => {
      const updatedAt = atChange(change, at, () => this.#updatedAt(change))
      const expected = expectedInstant(change.if_unchanged)
      return expected === undefined || expected === updatedAt ? [] : [at]
    })
    if (stale.length === 0) return
    const names = stale.map((at) => nameOf(changes[at] as AppliedChange, at))
    throw new Refusal(
      'stale',
      `Changed after the "updated_at" that was sent: ${names.join('; ')}. Nothing was written; read them again and repeat the changes on their current versions.`,
      atPlace(`changes[${stale[0]}].if_unchanged`),
    )
  }

  /** Undefined for a creation. */
  #updatedAt({ kind, op, id, structure }: AppliedChange): number | undefined {
    const { tx, caller } = this
    if (op === 'created') return this.#refuseTaken(id)
    if (kind === 'note') return getNoteSummary(tx, caller, id).updatedAt
    const { structureId, updatedAt } = getRecord(tx, caller, id)
    if (structure !== undefined && getStructure(tx, caller, structure, 'see').id !== structureId)
      throw notFound('record in this structure')
    return updatedAt
  }

  /** Refuses ids of deleted objects, too, because these can be restored. */
  #refuseTaken(id: string): undefined {
    const isTaken = findRecordHead(this.tx, id) ?? this.tx.sql.get('SELECT 1 FROM notes WHERE id = ?', id)
    if (isTaken)
      throw nameTaken(
        `The id ${id} is taken already, perhaps by something deleted; make a new one.`,
        atPlace('id'),
      )
  }
}
