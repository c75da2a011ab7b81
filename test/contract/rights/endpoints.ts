import { findTool, listTools } from '../../../src/clients/mcp/tools/all.ts'
import type { OpenApiDocument } from '../../../src/http/openapi/document.ts'
import { PASSWORD } from '../../support/browser-client.ts'
import { openApiDocument } from '../../support/openapi.ts'
import { type Route, routesOf } from '../../support/routes.ts'
import { startService, type TestService } from '../../support/service.ts'
import { BEFORE, operationOf, requestOf } from '../requests.ts'
import type { Samples } from '../samples.ts'
import type { Subject } from './subject.ts'

/*
 * The table of endpoints, derived from the routes and the tools themselves: a new endpoint without a row fails. A row
 * makes a request that succeeds.
 */

export interface CreatedObjects {
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Row {
  /** For example `POST /v1/notes`, or `POST /mcp create_note`. */
  readonly name: string
  readonly route: Route
  readonly kind: Subject['kind']
  /** Whether the request writes notes, rows or other content of the workspace. */
  readonly needsWrite: boolean
  readonly tool?: string
  /** Whether the request needs a new passkey of the subject. */
  readonly needsPasskey: boolean
  /** Changes the sample objects as the request needs them. */
  prepare(service: TestService, samples: Samples): Promise<unknown>
  request(samples: Samples, subject: Subject): CreatedObjects
}

type SessionRow = (samples: Samples, subject: Subject) => CreatedObjects

const TABLE = { path: `Table ${'0'.repeat(32)}.csv`, text: 'n\n1\n' }

/** Requests of the application's own endpoints. */
const SESSION_ROWS: Readonly<Record<string, SessionRow>> = {
  'GET /app/api/session': () => ({ path: '/app/api/session' }),
  'PATCH /app/api/session': (samples) => ({
    path: '/app/api/session',
    body: { workspace_id: samples.workspace },
  }),
  'DELETE /app/api/session': () => ({ path: '/app/api/session' }),
  'GET /app/api/sessions': () => ({ path: '/app/api/sessions' }),
  'DELETE /app/api/sessions/:id': (_, { sessionId }) => ({ path: `/app/api/sessions/${sessionId}` }),
  'PATCH /app/api/password': () => ({
    path: '/app/api/password',
    body: { current: PASSWORD, password: 'another horse battery' },
  }),
  'DELETE /app/api/password': () => ({ path: '/app/api/password' }),
  'DELETE /app/api/oidc': () => ({ path: '/app/api/oidc' }),
  'POST /app/api/passkeys/options': () => ({ path: '/app/api/passkeys/options' }),
  'GET /app/api/passkeys': () => ({ path: '/app/api/passkeys' }),
  'POST /app/api/passkeys': (_, { newPasskey }) => ({
    path: '/app/api/passkeys',
    body: { name: 'Phone', response: newPasskey },
  }),
  'PATCH /app/api/passkeys/:id': (_, { passkeyId }) => ({
    path: `/app/api/passkeys/${passkeyId}`,
    body: { name: 'Phone' },
  }),
  'DELETE /app/api/passkeys/:id': (_, { passkeyId }) => ({ path: `/app/api/passkeys/${passkeyId}` }),
  'GET /app/api/preferences': () => ({ path: '/app/api/preferences' }),
  'PUT /app/api/preferences': () => ({
    path: '/app/api/preferences',
    body: { preferences: { theme: 'dark' } },
  }),
  'GET /app/api/keys': () => ({ path: '/app/api/keys' }),
  'POST /app/api/keys': () => ({
    path: '/app/api/keys',
    body: { name: 'kept', scope: 'write', expires_at: null },
  }),
  'DELETE /app/api/keys/:id': (samples) => ({ path: `/app/api/keys/${samples.key}` }),
  'PATCH /app/api/keys/:id': (samples) => ({
    path: `/app/api/keys/${samples.key}`,
    body: { access: { files: 'read' } },
  }),
  'GET /app/api/grants': () => ({ path: '/app/api/grants' }),
  'DELETE /app/api/grants/:id': (samples) => ({ path: `/app/api/grants/${samples.app}` }),
  'GET /app/api/members': () => ({ path: '/app/api/members' }),
  'POST /app/api/members': () => ({
    path: '/app/api/members',
    body: { name: 'back door', role: 'owner' },
  }),
  'PATCH /app/api/members/:userId': (samples) => ({
    path: `/app/api/members/${samples.member}`,
    body: { role: 'owner' },
  }),
  'DELETE /app/api/members/:userId': (samples) => ({ path: `/app/api/members/${samples.member}` }),
  'POST /app/api/members/:userId/link': (samples) => ({ path: `/app/api/members/${samples.member}/link` }),
  'GET /app/api/workspaces': () => ({ path: '/app/api/workspaces' }),
  'POST /app/api/workspaces': () => ({ path: '/app/api/workspaces', body: { name: 'Mine' } }),
  'PATCH /app/api/workspaces/:id': (samples) => ({
    path: `/app/api/workspaces/${samples.workspace}`,
    body: { name: 'Mine' },
  }),
  'GET /app/api/records/days': () => ({ path: '/app/api/records/days?structure=Errands&date=due' }),
  'DELETE /app/api/structures/:id': (samples) => ({
    path: `/app/api/structures/${samples['structures/{nameOrId}']}`,
    body: { name: 'Errands' },
  }),
  'POST /app/api/files': () => ({
    path: '/app/api/files?file_name=letter.txt',
    body: new TextEncoder().encode('A letter of some length.'),
  }),
  'DELETE /app/api/files/:id': (samples) => ({ path: `/app/api/files/${samples['files/{id}']}` }),
  'GET /app/api/import': () => ({ path: '/app/api/import?folder=Vault' }),
  'POST /app/api/import/ids': () => ({
    path: '/app/api/import/ids',
    body: { folder: 'Vault', paths: ['Other.md'] },
  }),
  'POST /app/api/import/notes': () => ({
    path: '/app/api/import/notes',
    body: {
      folder: 'Vault',
      notes: [
        {
          path: 'Ada.md',
          state: '6-0',
          title: 'Ada',
          content: 'Engine',
          alias: null,
          tags: [],
          properties: {},
          files: [],
          created_at_ms: 0,
          updated_at_ms: 0,
        },
      ],
    },
  }),
  'POST /app/api/import/recognize': () => ({
    path: '/app/api/import/recognize',
    body: { folder: 'Vault', files: [{ path: 'Ada.md', sha256: '0'.repeat(64) }] },
  }),
  'POST /app/api/import/undo': () => ({
    path: '/app/api/import/undo',
    body: { folder: 'Vault', since_ms: 0 },
  }),
  'POST /app/api/import/tables': () => ({
    path: '/app/api/import/tables',
    body: { folder: 'Vault', state: '1-2', ...TABLE },
  }),
  'POST /app/api/import/tables/preview': () => ({ path: '/app/api/import/tables/preview', body: TABLE }),
  'POST /app/api/import/files': () => ({
    path: '/app/api/import/files?folder=Vault&path=a.txt&state=1&file_name=a.txt&created_at_ms=0',
    body: new TextEncoder().encode('A letter of some length.'),
  }),
  'GET /app/api/backup': () => ({ path: '/app/api/backup' }),
}

/** The input of each tool. */
const TOOL_ROWS: Readonly<Record<string, (samples: Samples) => object>> = {
  search: () => ({ query: 'Ada' }),
  list_notes: () => ({}),
  read_note: (samples) => ({ note: samples['notes/{id}'] }),
  read_file: (samples) => ({ file: samples['files/{id}'] }),
  describe: () => ({}),
  query_records: () => ({ structure: 'Errands' }),
  summarize: () => ({ structure: 'Errands' }),
  changes: () => ({}),
  history: (samples) => ({ record: samples['records/{id}'] }),
  create_note: () => ({ title: 'From an agent' }),
  edit_note: (samples) => ({ note: samples['notes/{id}'], append: { text: 'More.' } }),
  update_note: (samples) => ({ note: samples['notes/{id}'], add_tags: ['new'] }),
  write_records: () => ({ structure: 'Errands', rows: [{ data: { what: 'Buy milk' } }] }),
  delete: (samples) => ({ kind: 'record', id: samples['records/{id}'] }),
  undo: (samples) => ({ transaction: samples['cursor of the record'] }),
}

/** Requests under `/v1` that change something, for endpoints whose documented example changes nothing. */
const CHANGING: Readonly<Record<string, (samples: Samples) => object>> = {
  addNoteTags: () => ({ tags: ['new'] }),
  setTagLinks: (samples) => ({ linked_tag_ids: [Number(samples['other tag'])] }),
}

/** Maps the sampled event to a row. */
function mapAsJson(service: TestService, samples: Samples) {
  const map = { what: { path: '/what', as: 'json' } }
  return service.patch(`/v1/sources/${samples['sources/{id}']}`, { map })
}

/** Preparations in addition to `BEFORE`. */
const PREPARED: typeof BEFORE = {
  replaySourceEvent: mapAsJson,
  replaySourceEvents: mapAsJson,
  revertRecord: (service, samples) =>
    service.patch(`/v1/records/${samples['records/{id}']}`, { data: { what: 'Buy coffee' } }),
}

/**
 * Requests that change nothing here: nothing was imported, no delivery failed, no target is paused, and the session is
 * already in this workspace.
 */
export const CHANGES_NOTHING = [
  'POST /app/api/import/undo',
  'POST /v1/webhooks/:id/recover',
  'POST /v1/sources/:id/resume',
  'PATCH /app/api/session',
]

/** POST requests that never change the database. */
const READS = [
  'POST /app/api/passkeys/options',
  'POST /app/api/import/recognize',
  'POST /app/api/import/tables/preview',
]

/** Endpoints that need neither a key nor a session; another test covers them. */
export const WITHOUT_CALLER = [
  'POST /app/api/setup',
  'POST /app/api/setup/sign-in',
  'POST /app/api/setup/oidc',
  'POST /app/api/session',
  'POST /app/api/session/options',
  'GET /app/api/sign-in',
  'POST /app/share',
  'POST /in/:token',
  'OPTIONS /f/:token',
  'OPTIONS /.well-known/oauth-protected-resource',
  'OPTIONS /.well-known/oauth-protected-resource/mcp',
  'OPTIONS /.well-known/oauth-authorization-server',
  'POST /oauth/register',
  'POST /oauth/authorize',
  'POST /oauth/sign-in',
  'POST /oauth/token',
  'POST /oauth/revoke',
  'POST /s/:token',
  'POST /f/:token',
]

const toolCall = (tool: string, input: object): CreatedObjects => ({
  path: '/mcp',
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: input } },
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  },
})

const nameOf = ({ method, path }: Route) => `${method} ${path}`

/** Returns the rows of a route: one, or one per tool for the agent endpoint. Throws for a route without rows. */
function rowsOf(route: Route, document: OpenApiDocument): Row[] {
  const name = nameOf(route)
  if (route.path === '/mcp')
    return listTools({ mayWrite: true }).flatMap((tool) =>
      (['key', 'app'] as const).map((kind) => toolRow(route, tool.name, kind)),
    )
  const made = route.needsSession ? SESSION_ROWS[name] : undefined
  if (route.needsSession) {
    if (!made) throw new Error(`test/contract/rights/endpoints.ts has no row for ${name}`)
    return [
      {
        name,
        route,
        kind: 'session',
        needsWrite: route.needsWrite,
        needsPasskey: name === 'POST /app/api/passkeys',
        prepare: async () => {},
        request: made,
      },
    ]
  }
  const endpoint = { ...route, path: route.path.replace(/:(\w+)/g, '{$1}') }
  const { operationId } = operationOf(document, endpoint)
  return [
    {
      name,
      route,
      kind: 'key',
      needsWrite: route.needsWrite,
      needsPasskey: false,
      prepare: async (service, samples) => {
        await BEFORE[operationId]?.(service, samples)
        await PREPARED[operationId]?.(service, samples)
      },
      request: (samples) => {
        const { path, body } = requestOf(document, endpoint, samples)
        return { path, body: CHANGING[operationId]?.(samples) ?? body }
      },
    },
  ]
}

function toolRow(route: Route, tool: string, kind: 'key' | 'app'): Row {
  const input = TOOL_ROWS[tool]
  if (!input) throw new Error(`test/contract/rights/endpoints.ts has no row for the tool ${tool}`)
  return {
    name: kind === 'key' ? `POST /mcp ${tool}` : `POST /mcp ${tool} by an app`,
    route,
    kind,
    needsWrite: findTool(tool)?.writes ?? false,
    tool,
    needsPasskey: false,
    prepare: async () => {},
    request: (samples) => toolCall(tool, input(samples)),
  }
}

/** Returns the rows of all endpoints that need a key or a session. */
export async function table(): Promise<Row[]> {
  const service = await startService()
  const document = await openApiDocument()
  service.close()
  const routes = routesOf(service.app)
  return routes.filter(({ access }) => access !== 'open').flatMap((route) => rowsOf(route, document))
}

/** Whether the row changes something. */
export const isWrite = ({ name, route, needsWrite }: Row): boolean =>
  needsWrite || (route.needsSession && route.method !== 'GET' && !READS.includes(name))
