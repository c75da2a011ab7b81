/** The documented endpoints of the service; W marks endpoints that need a read-write key. */
const LINES = `
GET    /v1/me
GET    /v1/workspace
GET    /v1/notes
POST   /v1/notes W
POST   /v1/notes/query
GET    /v1/notes/trash
DELETE /v1/notes/trash W
GET    /v1/notes/trash/{id}
DELETE /v1/notes/trash/{id} W
GET    /v1/notes/{id}
PATCH  /v1/notes/{id} W
DELETE /v1/notes/{id} W
POST   /v1/notes/{id}/append W
POST   /v1/notes/{id}/edit W
POST   /v1/notes/{id}/restore W
GET    /v1/notes/{id}/properties
PATCH  /v1/notes/{id}/properties W
POST   /v1/notes/{id}/tags W
DELETE /v1/notes/{id}/tags/{name} W
GET    /v1/notes/{id}/links
GET    /v1/notes/{id}/mentions
GET    /v1/notes/{id}/files
GET    /v1/notes/{id}/presence
POST   /v1/notes/{id}/presence
GET    /v1/notes/{id}/revisions
POST   /v1/notes/{id}/revisions/{revisionId}/restore W
GET    /v1/records/structures
POST   /v1/records/structures W
GET    /v1/records/structures/{nameOrId}
PATCH  /v1/records/structures/{nameOrId} W
POST   /v1/records/structures/{nameOrId}/convert W
GET    /v1/records
POST   /v1/records W
GET    /v1/records/watch
GET    /v1/records/summary
GET    /v1/records/board
GET    /v1/records/views
POST   /v1/records/views W
GET    /v1/records/views/{id}
PATCH  /v1/records/views/{id} W
DELETE /v1/records/views/{id} W
GET    /v1/records/{id}
PATCH  /v1/records/{id} W
DELETE /v1/records/{id} W
POST   /v1/records/{id}/restore W
GET    /v1/webhooks
POST   /v1/webhooks W
GET    /v1/webhooks/{id}
PATCH  /v1/webhooks/{id} W
DELETE /v1/webhooks/{id} W
POST   /v1/webhooks/{id}/rotate-secret W
POST   /v1/webhooks/{id}/rotate W
POST   /v1/webhooks/{id}/recover W
POST   /v1/webhooks/{id}/test W
GET    /v1/webhooks/{id}/events
POST   /v1/webhooks/{id}/events/ack W
GET    /v1/webhooks/{id}/deliveries
GET    /v1/webhooks/{id}/deliveries/{deliveryId}
POST   /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver W
GET    /v1/sources
POST   /v1/sources W
GET    /v1/sources/{id}
PATCH  /v1/sources/{id} W
DELETE /v1/sources/{id} W
POST   /v1/sources/{id}/rotate W
GET    /v1/sources/{id}/deliveries
POST   /v1/sources/{id}/deliveries/{deliveryId}/redeliver W
POST   /v1/sources/{id}/resume W
GET    /v1/sources/{id}/events
GET    /v1/sources/{id}/events/{eventId}
POST   /v1/sources/{id}/events/{eventId}/replay W
POST   /v1/sources/{id}/replay W
POST   /v1/sources/{id}/try
POST   /in/{token}
GET    /v1/shares
POST   /v1/shares W
GET    /v1/shares/{id}
PATCH  /v1/shares/{id} W
DELETE /v1/shares/{id} W
POST   /v1/shares/{id}/rotate W
GET    /v1/tags
GET    /v1/tags/{id}
PATCH  /v1/tags/{id} W
DELETE /v1/tags/{id} W
PUT    /v1/tags/{id}/links W
GET    /v1/properties
POST   /v1/properties W
GET    /v1/properties/{idOrKey}
PATCH  /v1/properties/{idOrKey} W
DELETE /v1/properties/{idOrKey} W
GET    /v1/presets
GET    /v1/presets/{idOrName}
POST   /v1/presets W
PATCH  /v1/presets/{idOrName} W
DELETE /v1/presets/{idOrName} W
POST   /v1/presets/{idOrName}/apply W
GET    /v1/views
GET    /v1/views/{id}
GET    /v1/views/{id}/notes
POST   /v1/views W
PATCH  /v1/views/{id} W
DELETE /v1/views/{id} W
GET    /v1/lenses
GET    /v1/lenses/{id}
GET    /v1/lenses/{id}/graph
GET    /v1/graph
POST   /v1/lenses W
PATCH  /v1/lenses/{id} W
DELETE /v1/lenses/{id} W
GET    /v1/quick-access
POST   /v1/quick-access W
PATCH  /v1/quick-access/{id} W
DELETE /v1/quick-access/{id} W
GET    /v1/files
GET    /v1/files/search
GET    /v1/search
GET    /v1/files/{id}
GET    /v1/files/{id}/text
GET    /v1/files/{id}/content
PATCH  /v1/files/{id} W
GET    /v1/comments
POST   /v1/comments W
GET    /v1/comments/{id}
PATCH  /v1/comments/{id} W
DELETE /v1/comments/{id} W
GET    /v1/inbox
POST   /v1/inbox/read
GET    /v1/changes
GET    /v1/changes/snapshot
GET    /v1/changes/transactions
POST   /v1/changes/apply W
POST   /v1/changes/undo W
GET    /v1/records/{id}/history
POST   /v1/records/{id}/revert W
GET    /openapi.json
GET    /docs
GET    /healthz
GET    /metrics
`

/** Further endpoints of the application, for a signed-in user; W marks endpoints that need write access. */
const APPLICATION_LINES = `
POST   /app/api/setup
POST   /app/api/setup/sign-in
POST   /app/api/setup/oidc
POST   /app/api/session
POST   /app/api/session/options
GET    /app/api/sign-in
GET    /app/api/session
PATCH  /app/api/session
DELETE /app/api/session
GET    /app/api/sessions
DELETE /app/api/sessions/{id}
PATCH  /app/api/password
DELETE /app/api/password
DELETE /app/api/oidc
POST   /app/api/passkeys/options
GET    /app/api/passkeys
POST   /app/api/passkeys
PATCH  /app/api/passkeys/{id}
DELETE /app/api/passkeys/{id}
GET    /app/api/preferences
PUT    /app/api/preferences
GET    /app/api/keys
POST   /app/api/keys
PATCH  /app/api/keys/{id}
DELETE /app/api/keys/{id}
GET    /app/api/grants
DELETE /app/api/grants/{id}
GET    /app/api/members
POST   /app/api/members
PATCH  /app/api/members/{userId}
DELETE /app/api/members/{userId}
POST   /app/api/members/{userId}/link
GET    /app/api/workspaces
POST   /app/api/workspaces
PATCH  /app/api/workspaces/{id}
DELETE /app/api/structures/{id} W
POST   /app/api/files W
DELETE /app/api/files/{id} W
GET    /app/api/records/days
GET    /app/api/import
POST   /app/api/import/ids W
POST   /app/api/import/notes W
POST   /app/api/import/recognize
POST   /app/api/import/undo W
POST   /app/api/import/tables W
POST   /app/api/import/tables/preview
POST   /app/api/import/files W
GET    /app/api/backup
`

const OAUTH_LINES = `
GET    /.well-known/oauth-protected-resource
OPTIONS /.well-known/oauth-protected-resource
GET    /.well-known/oauth-protected-resource/mcp
OPTIONS /.well-known/oauth-protected-resource/mcp
GET    /.well-known/oauth-authorization-server
OPTIONS /.well-known/oauth-authorization-server
POST   /oauth/register
POST   /oauth/token
POST   /oauth/revoke
`

/** Pages and their files, which are not API endpoints. */
export const PAGE_FILES = [
  '/',
  '/app',
  '/app/*',
  '/s/{token}',
  '/s/{token}/{noteId}',
  '/s/{token}/files/{id}',
  '/s/*',
  '/f/{token}',
  '/f/{token}/done',
  '/f/*',
  '/app/assets/{name}',
  '/app/icons/{name}',
  '/app/manifest.json',
  '/app/share',
  '/app/worker.js',
  '/app/sign-in/oidc',
  '/app/sign-in/oidc/callback',
  '/oauth/authorize',
  '/oauth/sign-in',
  '/oauth/sign-in.js',
  '/docs/guide',
  '/docs/guide/pictures/{name}',
  '/docs/guide/{page}',
  '/docs/start.js',
  '/docs/viewer.js',
  '/docs/viewer.css',
]

export interface Endpoint {
  method: string
  path: string
  needsWrite: boolean
}

const endpointsIn = (lines: string): Endpoint[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [method = '', path = '', mark] = line.split(/\s+/)
      return { method, path, needsWrite: mark === 'W' }
    })

/** The endpoint for agents, which carries its own protocol. */
export const AGENT_ENDPOINT: Endpoint = { method: 'POST', path: '/mcp', needsWrite: false }

/** The endpoints of OAuth that clients call. */
export const OAUTH_ENDPOINTS: readonly Endpoint[] = endpointsIn(OAUTH_LINES)

/** Every endpoint that must exist for programs. */
export const ENDPOINTS: readonly Endpoint[] = endpointsIn(LINES)

/** Every endpoint that must exist only for the application. */
export const APPLICATION_ENDPOINTS: readonly Endpoint[] = endpointsIn(APPLICATION_LINES)
