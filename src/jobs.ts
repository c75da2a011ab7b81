import { retryShortening } from './events/delivery/dispatch/retry-delays.ts'
import { sealedRemoval, sourceDetachment } from './events/sources/deletion.ts'
import { targetEnding } from './events/sources/forward-targets.ts'
import { webhookDetachment } from './events/webhooks/deletion.ts'
import { fileDetachment } from './files/deletion.ts'
import { pageIndexing } from './files/search-upgrade.ts'
import { jobPreparing, jobRunning } from './kernel/job-steps.ts'
import type { Job } from './kernel/jobs.ts'
import { statisticsRefresh } from './kernel/statistics.ts'
import { scheduleBeginning, scheduleEnding } from './log/due.ts'
import { pulledRemoval } from './log/pulled.ts'
import { quietNoteEvents } from './notes/events.ts'
import { linkIndexing } from './notes/links/indexing.ts'
import { propertyDetachment } from './notes/properties/deletion.ts'
import { longNoteIndexing, noteIndexing, searchMerging } from './notes/search/indexing.ts'
import { tagDetachment } from './notes/tags/deletion.ts'
import { tagLinking } from './notes/tags/links.ts'
import { dueRowEvents } from './records/rows/due.ts'
import { rowIndexRemoval, rowRemoval } from './records/structures/deletion.ts'
import { indexBuilding, indexRemoval, unusedIndexRemoval } from './records/structures/storage/auto-index.ts'
import { formulaComputation } from './records/structures/storage/formula-values.ts'
import { textIndexFill, textIndexUpdate } from './records/structures/storage/text-index.ts'

/** All kinds of jobs except those of retention, in scheduling order. */
export const jobs: readonly Job[] = [
  dueRowEvents,
  quietNoteEvents,
  scheduleBeginning,
  scheduleEnding,
  tagDetachment,
  tagLinking,
  propertyDetachment,
  webhookDetachment,
  retryShortening,
  pulledRemoval,
  sourceDetachment,
  sealedRemoval,
  targetEnding,
  rowIndexRemoval,
  rowRemoval,
  formulaComputation,
  fileDetachment,
  pageIndexing,
  linkIndexing,
  longNoteIndexing,
  noteIndexing,
  searchMerging,
  textIndexFill,
  textIndexUpdate,
  indexBuilding,
  indexRemoval,
  unusedIndexRemoval,
  statisticsRefresh,
]

export const job = jobRunning(jobs)
export const preparation = jobPreparing(jobs)
