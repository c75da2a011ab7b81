/** The only entry: the application in a page, or the task that the worker's name selects. */
if (typeof document !== 'undefined') void import('./application.tsx')
else if (self.name === 'csv') void import('./pages/records/csv/lines-worker.ts')
else if (self.name === 'preview') void import('./pages/notes/preview/parts-worker.ts')
else void import('./pages/graph/layout-worker.ts')
