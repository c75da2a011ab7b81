/*
 * The operations that can run in another thread: long reads, writes and tasks. Each feature lists its own in one file,
 * which a worker thread loads on first use. Loading all of them would take longer than most operations. The name of an
 * operation begins with the name of its feature.
 */

interface Operation {
  readonly name: string
}

const FEATURES: Readonly<Record<string, () => Promise<object>>> = {
  account: () => import('./people/accounts/operations.ts'),
  comments: () => import('./comments/operations.ts'),
  'change-feed': () => import('./feed/operations.ts'),
  events: () => import('./events/structure-deletion.ts'),
  files: () => import('./files/operations.ts'),
  finder: () => import('./finder/find.ts'),
  jobs: () => import('./jobs.ts'),
  lenses: () => import('./notes/lenses/operations.ts'),
  mcp: () => import('./clients/mcp/operations.ts'),
  mirror: () => import('./transfer/mirror/apply-stage.ts'),
  notes: () => import('./notes/operations.ts'),
  people: () => import('./people/administration.ts'),
  portability: () => import('./transfer/operations.ts'),
  oauth: () => import('./people/oauth/operations.ts'),
  presets: () => import('./notes/presets/operations.ts'),
  properties: () => import('./notes/properties/operations.ts'),
  'quick-access': () => import('./notes/pinned/service.ts'),
  records: () => import('./records/rows/operations.ts'),
  sessions: () => import('./people/sessions/operations.ts'),
  shares: () => import('./shares/operations.ts'),
  sources: () => import('./events/sources/operations.ts'),
  'row-views': () => import('./records/views/service.ts'),
  structures: () => import('./records/structures/operations.ts'),
  tags: () => import('./notes/tags/operations.ts'),
  webhooks: () => import('./events/webhooks/operations.ts'),
  views: () => import('./notes/views/service.ts'),
}

export async function findOperation(name: string): Promise<Operation> {
  const module = await FEATURES[name.slice(0, name.indexOf('.'))]?.()
  const found = Object.values(module ?? {}).find((one: Partial<Operation> | undefined) => one?.name === name)
  if (!found) throw new Error(`there is no operation named "${name}"`)
  return found as Operation
}
