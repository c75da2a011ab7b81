/*
 * What the worker threads are seldom asked for. It is loaded with the first request for it, because it takes longer to
 * load than all that `worker.ts` needs to start.
 */
import { feedPageQuery } from './change-feed/feed.ts'
import { newestFirstQuery } from './change-feed/newest-first.ts'
import { snapshotQuery } from './change-feed/snapshot.ts'
import { undoPreparation, undoTask } from './change-feed/undo.ts'
import { features } from './features.ts'
import { fileRename, fileRenamePreparation } from './files/service.ts'
import { mirrorApply } from './mirror/apply/worker-task.ts'
import { noteRename, renamePreparation } from './notes/writing/rename.ts'
import { discardPreparation } from './notes/writing/staged-contents.ts'

export const queries = [feedPageQuery, newestFirstQuery, snapshotQuery]
export const tasks = [
  renamePreparation,
  noteRename,
  discardPreparation,
  fileRenamePreparation,
  fileRename,
  undoPreparation,
  undoTask(features),
  mirrorApply,
]
