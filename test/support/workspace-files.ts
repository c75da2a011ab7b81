import { exportTable } from '../../src/transfer/csv/export.ts'
import { exportWorkspace } from '../../src/transfer/workspace/export.ts'
import { importWorkspace } from '../../src/transfer/workspace/import.ts'
import { callerOf } from './cli.ts'
import type { TestService } from './service.ts'

/** Writes the only workspace of a service into a new folder, as `daybook export` does. */
export const exportTo = (service: TestService, folder: string, onProgress = () => {}) =>
  exportWorkspace(service.ctx.db, callerOf(service), folder, onProgress)

/** Writes the rows of a structure into a file, as `daybook export --structure` does; returns their number. */
export const exportRowsTo = (
  service: TestService,
  structure: string,
  file: string,
  format: 'csv' | 'jsonl',
) => exportTable(service.ctx.db, callerOf(service), structure, { format, file, headings: 'label' })

/** Imports an exported folder into the only workspace of a service, as `daybook import` does. */
export const importFrom = (service: TestService, folder: string, skipsBad = false) =>
  importWorkspace(service.ctx.db, callerOf(service), {
    folder,
    isDryRun: false,
    skipsBad,
    onProgress: () => {},
  })
