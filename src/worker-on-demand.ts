/*
 * What the worker threads are seldom asked for. It is loaded with the first request for it, because it takes longer to
 * load than all that `worker.ts` needs to start.
 */
import { feedPageQuery } from './change-feed/feed.ts'
import { newestFirstQuery } from './change-feed/newest-first.ts'
import { snapshotQuery } from './change-feed/snapshot.ts'
import { transactionsQuery } from './change-feed/transactions.ts'
import { undoPreparation, undoTask } from './change-feed/undo.ts'
import { features, propertyUsageQuery, tagUsageQuery } from './features.ts'
import { filesQuery } from './files/list.ts'
import { fileRename, fileRenamePreparation } from './files/service.ts'
import { lensesQuery } from './lenses/list.ts'
import { instructionsQuery } from './mcp/instructions.ts'
import { describeQuery } from './mcp/tools/describe.ts'
import { mcpRowsWrite } from './mcp/tools/records-write.ts'
import { mcpRecordDeletion } from './mcp/tools/undo.ts'
import { mirrorApply } from './mirror/apply/worker-task.ts'
import { noteRename, renamePreparation } from './notes/writing/rename.ts'
import { discardPreparation } from './notes/writing/staged-contents.ts'
import { presetsQuery } from './presets/list.ts'
import { propertiesQuery } from './properties/list.ts'
import { quickAccessQuery } from './quick-access/list.ts'
import { recordDeletion, recordPatch, recordRestoration } from './records/writing/patch-and-delete.ts'
import { type RecordWrite, taskOf } from './records/writing/record-write.ts'
import { recordRevert } from './records/writing/revert.ts'
import { rowsWrite } from './records/writing/write-once.ts'
import { structuresQuery } from './structures/list.ts'
import { tagsQuery } from './tags/list.ts'
import { viewsQuery } from './views/list.ts'

const recordWrites = [
  rowsWrite,
  recordPatch,
  recordDeletion,
  recordRestoration,
  recordRevert,
  mcpRowsWrite,
  mcpRecordDeletion,
].map((write) => taskOf(write as RecordWrite<unknown, unknown, unknown>))

export const queries = [
  feedPageQuery,
  newestFirstQuery,
  snapshotQuery,
  transactionsQuery,
  tagUsageQuery,
  propertyUsageQuery,
  describeQuery,
  instructionsQuery,
  filesQuery,
  lensesQuery,
  presetsQuery,
  propertiesQuery,
  quickAccessQuery,
  structuresQuery,
  tagsQuery,
  viewsQuery,
]
export const tasks = [
  renamePreparation,
  noteRename,
  discardPreparation,
  fileRenamePreparation,
  fileRename,
  undoPreparation,
  undoTask(features),
  mirrorApply,
  ...recordWrites,
]
