import { exportWorkspace } from '../../src/transfer/workspace/export.ts'
import { importWorkspace } from '../../src/transfer/workspace/import.ts'
import { callerOf } from './cli.ts'
import type { TestService } from './service.ts'

/** Writes the only workspace of a service into a new folder, as `daybook export` does. */
export const exportTo = (service: TestService, folder: string) =>
  exportWorkspace(service.ctx.db, callerOf(service), folder, () => {})

/** Imports an exported folder into the only workspace of a service, as `daybook import` does. */
export const importFrom = (service: TestService, folder: string) =>
  importWorkspace(service.ctx.db, callerOf(service), {
    folder,
    isDryRun: false,
    skipsBad: false,
    onProgress: () => {},
  })
