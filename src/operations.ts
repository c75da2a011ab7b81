/*
 * The operations that can run in another thread: long reads, and writes and tasks. Each feature lists its own in one
 * file, which a worker thread loads on first use, because loading all of them takes longer than most operations. The
 * name of an operation begins with that of its feature.
 */

interface Operation {
  readonly name: string
}

const FEATURES: Readonly<Record<string, () => Promise<object>>> = {
  account: () => import('./account/operations.ts'),
  'change-feed': () => import('./change-feed/operations.ts'),
  features: () => import('./features.ts'),
  files: () => import('./files/operations.ts'),
  lenses: () => import('./lenses/operations.ts'),
  maintenance: () => import('./maintenance/statistics.ts'),
  mcp: () => import('./mcp/operations.ts'),
  mirror: () => import('./mirror/apply-stage.ts'),
  notes: () => import('./notes/operations.ts'),
  portability: () => import('./portability/operations.ts'),
  presets: () => import('./presets/operations.ts'),
  properties: () => import('./properties/operations.ts'),
  'quick-access': () => import('./quick-access/service.ts'),
  records: () => import('./records/operations.ts'),
  sessions: () => import('./sessions/operations.ts'),
  shares: () => import('./shares/operations.ts'),
  sources: () => import('./sources/operations.ts'),
  'row-views': () => import('./row-views/service.ts'),
  structures: () => import('./structures/operations.ts'),
  tags: () => import('./tags/operations.ts'),
  webhooks: () => import('./webhooks/operations.ts'),
  views: () => import('./views/service.ts'),
}

export async function findOperation(name: string): Promise<Operation> {
  const module = await FEATURES[name.slice(0, name.indexOf('.'))]?.()
  const found = Object.values(module ?? {}).find((one: Partial<Operation> | undefined) => one?.name === name)
  if (!found) throw new Error(`there is no operation named "${name}"`)
  return found as Operation
}
