import { beginEpochs } from '../../src/log/cursors.ts'
import type { TestService } from './service.ts'

/** Begins an epoch of the change log of every workspace, as each start of a server does. */
export const beginEpoch = ({ ctx }: TestService): Promise<void> =>
  ctx.db.write((tx): void => void beginEpochs(tx))
