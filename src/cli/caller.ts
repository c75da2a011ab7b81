import type { WorkspaceRow } from '../account/store.ts'
import type { Caller } from '../context.ts'

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
