import type { AppContext, Caller } from '../../../src/context.ts'
import { settle } from '../../../src/kernel/job-steps.ts'
import { ALL, noteIndexing, searchMerging } from '../../../src/notes/search/indexing.ts'
import { createNote } from '../../../src/notes/writing/create.ts'
import { createKey } from '../../../src/people/accounts/keys.ts'
import { setMember } from '../../../src/people/accounts/store.ts'
import { createUser } from '../../../src/people/accounts/users.ts'
import { createWorkspace } from '../../../src/people/accounts/workspaces.ts'
import { writeRecords } from '../../../src/records/rows/writing/write-records.ts'
import { createStructure, type NewStructure } from '../../../src/records/structures/service.ts'
import type { Tx } from '../../../src/storage/writes/transaction.ts'
import { type CorpusNote, corpus, ROW_FIELDS, rowsOf } from '../corpus.ts'

/** The content of each workspace. */
export const NOTES = 20
export const STRUCTURES = 2
export const ROWS = 50

const FIELDS = ROW_FIELDS.map((field) => ({ ...field }) as NewStructure['fields'][number])

const AT_ONCE = 20
const DIFFERENT_NOTES = 400

const callerOf = (workspacePk: number, workspaceId: string, userId: string): Caller => ({
  workspacePk,
  workspaceId,
  userId,
  keyId: null,
  keyName: null,
  scope: 'write',
  role: 'owner',
  mayWrite: true,
  surface: 'api',
  rights: undefined,
})

/** Adds a workspace with its own user, notes and structures; returns the secret of a key. */
function addWorkspace(tx: Tx, number: number, notes: readonly CorpusNote[]): string {
  const workspace = createWorkspace(tx, `Team ${number}`)
  const user = createUser(tx, `user ${number}`)
  setMember(tx, workspace.pk, user.pk, 'owner')
  const caller = callerOf(workspace.pk, workspace.id, user.id)
  const first = (number * NOTES) % notes.length
  const ids = notes.slice(first, first + NOTES).map((note) => createNote(tx, caller, note).note.id)
  for (let at = 0; at < STRUCTURES; at++) {
    const name = `Structure ${at}`
    createStructure(tx, caller, { name, fields: FIELDS })
    const rows = [...rowsOf(ROWS, ids, number + at)].map((data) => ({ data }))
    writeRecords(tx, caller, { structure: name, rows })
  }
  const key = { workspace: workspace.pk, user: user.pk, name: 'bench', expiresAt: null }
  return createKey(tx, { ...key, scope: 'write' }).secret
}

/** Runs the pending jobs of the notes, as a running server does. */
async function endIndexing(ctx: AppContext): Promise<void> {
  await settle(ctx, noteIndexing, ALL)
  await settle(ctx, searchMerging, ALL)
}

/** Adds workspaces of one size to a database; returns the secret of one key per workspace. */
export async function fillWorkspaces(ctx: AppContext, from: number, to: number): Promise<string[]> {
  const notes = [...corpus(DIFFERENT_NOTES)]
  const secrets: string[] = []
  for (let number = from; number < to; number += AT_ONCE) {
    const some = await ctx.db.write((tx): string[] =>
      Array.from({ length: Math.min(AT_ONCE, to - number) }, (_, at) => addWorkspace(tx, number + at, notes)),
    )
    secrets.push(...some)
  }
  await endIndexing(ctx)
  ctx.db.checkpoint()
  return secrets
}
