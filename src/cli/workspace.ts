import type { WorkspaceRow } from '../account/store.ts'
import { getWorkspaceOrOnly } from '../account/users.ts'
import type { Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import { type Input, textFlag } from './command.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'

/** Runs `use` on the workspace that `--workspace` names, else on the only one there is. */
export const inWorkspace = <T>(
  input: Input,
  io: Io,
  use: (db: Db, workspace: WorkspaceRow) => T | Promise<T>,
): Promise<T> =>
  withDatabase(input, io, (db) => use(db, getWorkspaceOrOnly(db, textFlag(input, 'workspace'))))

/** The command line is the application: it writes without a key and counts as `web` (contract, section 7). */
export const commandCaller = ({ pk, id }: Pick<WorkspaceRow, 'pk' | 'id'>): Caller => ({
  workspacePk: pk,
  workspaceId: id,
  userId: '',
  keyId: null,
  keyName: null,
  scope: 'write',
  mayWrite: true,
  surface: 'web',
})
