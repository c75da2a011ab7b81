import { withCacheOf } from '../../db/connection/open.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import { applyStage, type Target } from '../apply-stage.ts'
import { Stage } from '../stage.ts'

interface Input {
  readonly stageFile: string
  readonly now: number
  readonly target: Target
}

/** Rows are mostly appended, so that a larger cache takes more memory and little less time. */
const CACHE_KIB = 24_576

/** Applies a stage that is too large for the thread that serves requests; all in one transaction. */
export const mirrorApply: WorkerTask<Input, void> = {
  name: 'mirror.apply',
  isBackground: true,
  run: (tx, { stageFile, now, target }) => {
    const stage = new Stage(stageFile)
    const apply = () => applyStage({ ...tx, now }, stage, target)
    try {
      withCacheOf(CACHE_KIB, tx.sql.database, apply)
    } finally {
      stage.close()
    }
  },
}
