/*
 * The modules of the operations that can run in another thread: long reads, writes and tasks. The name of an operation
 * begins with the name of its feature. A worker thread loads the modules of the feature in this order until one
 * declares the operation, because loading all of them takes longer than most operations.
 */

interface Operation {
  readonly name: string
}

type Load = () => Promise<object>

const FEATURES: Readonly<Record<string, readonly Load[]>> = {
  account: [
    () => import('./people/accounts/operations.ts'),
    () => import('./people/accounts/app-operations.ts'),
  ],
  'change-feed': [
    () => import('./feed/feed.ts'),
    () => import('./feed/snapshot.ts'),
    () => import('./feed/undo.ts'),
    () => import('./feed/apply.ts'),
    () => import('./feed/transactions.ts'),
    () => import('./feed/workspace.ts'),
  ],
  comments: [
    () => import('./comments/list.ts'),
    () => import('./comments/inbox.ts'),
    () => import('./comments/service.ts'),
  ],
  events: [() => import('./events/structure-deletion.ts')],
  files: [
    () => import('./files/service.ts'),
    () => import('./files/search.ts'),
    () => import('./files/new-file.ts'),
  ],
  finder: [() => import('./finder/find.ts')],
  jobs: [() => import('./jobs.ts')],
  lenses: [() => import('./notes/lenses/graph.ts'), () => import('./notes/lenses/service.ts')],
  mcp: [
    () => import('./clients/mcp/tools/search.ts'),
    () => import('./clients/mcp/tools/records.ts'),
    () => import('./clients/mcp/tools/notes-read.ts'),
    () => import('./clients/mcp/tools/notes-write.ts'),
    () => import('./clients/mcp/tools/describe.ts'),
    () => import('./clients/mcp/tools/changes.ts'),
    () => import('./clients/mcp/tools/read-file.ts'),
    () => import('./clients/mcp/tools/undo.ts'),
    () => import('./clients/mcp/resources.ts'),
  ],
  mirror: [() => import('./transfer/mirror/apply-stage.ts')],
  notes: [
    () => import('./notes/query/list.ts'),
    () => import('./notes/query/tree-query.ts'),
    () => import('./notes/query/mentions.ts'),
    () => import('./notes/links/note-links.ts'),
    () => import('./notes/operations.ts'),
    () => import('./notes/presence/operations.ts'),
  ],
  oauth: [
    () => import('./people/oauth/tokens.ts'),
    () => import('./people/oauth/authorize.ts'),
    () => import('./people/oauth/clients.ts'),
  ],
  people: [() => import('./people/administration.ts')],
  portability: [
    () => import('./transfer/vault/from-browser/service.ts'),
    () => import('./transfer/vault/from-browser/tables.ts'),
    () => import('./transfer/vault/from-browser/undo.ts'),
  ],
  presets: [() => import('./notes/presets/apply.ts'), () => import('./notes/presets/service.ts')],
  properties: [
    () => import('./notes/properties/service.ts'),
    () => import('./notes/properties/operations.ts'),
    () => import('./notes/properties/deletion.ts'),
  ],
  'quick-access': [() => import('./notes/pinned/service.ts')],
  records: [
    () => import('./records/rows/query/list.ts'),
    () => import('./records/rows/query/summary.ts'),
    () => import('./records/rows/writing/write-records.ts'),
    () => import('./records/rows/watch-query.ts'),
    () => import('./records/rows/query/board.ts'),
    () => import('./records/rows/one-record.ts'),
    () => import('./records/rows/writing/one-record.ts'),
    () => import('./records/rows/convert.ts'),
  ],
  'row-views': [() => import('./records/views/service.ts')],
  sessions: [
    () => import('./people/sessions/operations.ts'),
    () => import('./people/sessions/members.ts'),
    () => import('./people/sessions/sign-in.ts'),
    () => import('./people/sessions/passkeys.ts'),
    () => import('./people/sessions/oidc/enter-by-provider.ts'),
  ],
  shares: [
    () => import('./shares/pages/rows.ts'),
    () => import('./shares/pages/notes.ts'),
    () => import('./shares/pages/rows-files.ts'),
    () => import('./shares/forms/form.ts'),
    () => import('./shares/operations.ts'),
  ],
  sources: [
    () => import('./events/sources/receive.ts'),
    () => import('./events/sources/operations.ts'),
    () => import('./events/sources/forward-deliveries.ts'),
  ],
  structures: [() => import('./records/structures/service.ts')],
  tags: [
    () => import('./notes/tags/service.ts'),
    () => import('./notes/tags/links.ts'),
    () => import('./notes/tags/deletion.ts'),
  ],
  views: [() => import('./notes/views/service.ts')],
  webhooks: [
    () => import('./events/webhooks/deliveries.ts'),
    () => import('./events/webhooks/pull.ts'),
    () => import('./events/webhooks/operations.ts'),
  ],
}

/** An exported value: an operation, a tool with one, or anything else. */
interface Exported extends Partial<Operation> {
  readonly operation?: Operation
}

export async function findOperation(name: string): Promise<Operation> {
  for (const load of FEATURES[name.slice(0, name.indexOf('.'))] ?? [])
    for (const value of Object.values((await load()) as Record<string, Exported | null | undefined>)) {
      const operation = value?.operation ?? value
      if (operation?.name === name) return operation as Operation
    }
  throw new Error(`there is no operation named "${name}"`)
}
