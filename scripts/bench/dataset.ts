import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApi } from '../../src/api.ts'
import { readConfig } from '../../src/config.ts'
import { type AppContext, type Caller, contextOn } from '../../src/context.ts'
import { settle } from '../../src/kernel/job-steps.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { VERSION } from '../../src/lib/version.ts'
import { ALL, refreshSearch, searchMerging } from '../../src/notes/search/indexing.ts'
import { createNote } from '../../src/notes/writing/create.ts'
import { createKey } from '../../src/people/accounts/keys.ts'
import { listWorkspaces } from '../../src/people/accounts/store.ts'
import { findUser } from '../../src/people/accounts/users.ts'
import { bootstrap } from '../../src/people/administration.ts'
import { credentials } from '../../src/people/sessions/sessions.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { corpus } from './corpus.ts'

/** Creates a temporary folder, which is removed when the process exits. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Dataset {
  file: string
  ctx: AppContext
  caller: Caller
  key: string
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  close(): void
}

/** Opens or creates a database with the service in this process, and creates a write key. */
export async function openDataset(file: string): Promise<Dataset> {
  const log = createLog('silent', systemClock, () => {})
  const db = openDatabase({ file, programVersion: VERSION, clock: systemClock, log, role: 'server' })
  const config = { ...readConfig({}), db: file }
  const ctx = contextOn({ config, db, clock: systemClock, log, credentials })
  await bootstrap(ctx)
  const [workspace] = listWorkspaces(db)
  const user = findUser(db, 'owner')
  if (!workspace || !user) throw new Error('the new database has no workspace')
  const { secret } = await db.write((tx): { secret: string } =>
    createKey(tx, { workspace: workspace.pk, user: user.pk, name: 'bench', scope: 'write', expiresAt: null }),
  )
  const app = createApi(ctx)
  const headers = { authorization: `Bearer ${secret}` }
  return {
    file,
    ctx,
    caller: {
      workspacePk: workspace.pk,
      workspaceId: workspace.id,
      userId: user.id,
      keyId: null,
      keyName: null,
      scope: 'write',
      role: 'owner',
      mayWrite: true,
      surface: 'api',
      rights: undefined,
    },
    key: secret,
    fetch: async (path, init) => app.fetch(new Request(`http://localhost${path}`, { headers, ...init })),
    close: () => {
      void ctx.worker.close()
      db.close()
    },
  }
}

const NOTES_PER_TRANSACTION = 200

/** Writes notes of the corpus, indexes them for search, and merges the index as an idle server does. */
export async function fillNotes({ ctx, caller }: Dataset, count: number): Promise<void> {
  const notes = corpus(count)
  for (let made = 0; made < count; made += NOTES_PER_TRANSACTION) {
    const group = Math.min(NOTES_PER_TRANSACTION, count - made)
    await ctx.db.write((tx): void => {
      for (let index = 0; index < group; index++) {
        const note = notes.next()
        if (!note.done) createNote(tx, caller, note.value)
      }
    })
  }
  await refreshSearch(ctx, caller.workspacePk)
  await settle(ctx, searchMerging, ALL)
  ctx.db.checkpoint()
}
