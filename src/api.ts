import type { AnyElysia } from 'elysia'
import { mcpRoutes } from './clients/mcp/routes.ts'
import { commentRoutes, inboxRoutes } from './comments/routes.ts'
import type { AppContext } from './context.ts'
import { incomingRoutes, rejectedCalls, sourceRoutes } from './events/sources/routes.ts'
import { structureDeletionRoutes } from './events/structure-deletion.ts'
import { describeCallbacks, describeDeliveries } from './events/webhooks/openapi.ts'
import { webhookRoutes } from './events/webhooks/routes.ts'
import { changeRoutes } from './feed/routes.ts'
import { ChangeSubscribers } from './feed/subscribers.ts'
import { readWorkspace } from './feed/workspace.ts'
import { fileManagementRoutes, fileRoutes, filesOfNoteRoutes } from './files/routes.ts'
import { finderRoutes } from './finder/routes.ts'
import { createAuthorizer } from './http/authorizer.ts'
import { BodyBudget } from './http/body.ts'
import { createBrowserRules, isCrossSite } from './http/browser/browser-rules.ts'
import { docsRoutes } from './http/docs/routes.ts'
import type { HttpServer } from './http/exchange.ts'
import { healthRoutes } from './http/health.ts'
import type { ApiDescription, OpenApiDocument } from './http/openapi/document.ts'
import { createPipeline } from './http/pipeline.ts'
import { newResponseBudget } from './http/responses.ts'
import { id, integer, text } from './http/schema/types.ts'
import { applicationRoutes } from './http/web-app/routes.ts'
import { shuttingDown } from './lib/refusal.ts'
import { RequestMetrics } from './lib/request-metrics.ts'
import { API_VERSION } from './lib/version.ts'
import { lensRoutes } from './notes/lenses/routes.ts'
import { quickAccessRoutes } from './notes/pinned/routes.ts'
import { presenceRoutes } from './notes/presence/routes.ts'
import { presetRoutes } from './notes/presets/routes.ts'
import { propertyRoutes } from './notes/properties/routes.ts'
import { noteRoutes } from './notes/routes.ts'
import { tagRoutes } from './notes/tags/routes.ts'
import { viewRoutes } from './notes/views/routes.ts'
import { NO_BACKUPS } from './operation/backups/schedule.ts'
import { backupRoutes, metricRoutes } from './operation/routes.ts'
import { createAppAuthenticate } from './people/accounts/apps.ts'
import { createAuthenticate } from './people/accounts/keys.ts'
import { accountRoutes, selfServiceRoutes } from './people/accounts/routes.ts'
import { OwnOrigin } from './people/oauth/origin.ts'
import { oauthRoutes } from './people/oauth/routes.ts'
import { providerCookie, sessionCookie } from './people/sessions/cookie.ts'
import { FailedSignIns } from './people/sessions/failed-sign-ins.ts'
import { browserOf, sessionFeatures } from './people/sessions/routes.ts'
import { createSessionAuthenticate, LONGEST_SECONDS } from './people/sessions/sessions.ts'
import type { NewSession } from './people/sessions/sign-in.ts'
import { Streams } from './people/sessions/streams.ts'
import { conversionRoutes, recordDayRoutes, recordRoutes } from './records/rows/routes.ts'
import { Watches } from './records/rows/watches.ts'
import { structureRoutes } from './records/structures/routes.ts'
import { rowViewRoutes } from './records/views/routes.ts'
import { FormBytes } from './shares/forms/form.ts'
import { shareRoutes } from './shares/routes.ts'
import { visitorRoutes } from './shares/visitor-routes.ts'
import { importFileRoutes, importRoutes, importTableRoutes } from './transfer/vault/from-browser/routes.ts'

export interface Api {
  /** The Elysia application with the endpoints of all features. */
  readonly elysia: AnyElysia
  /** Serves one request; `server` knows the address of its client. */
  fetch(request: Request, server?: HttpServer): Response | Promise<Response>
  /** The OpenAPI document of the service, as returned by `/openapi.json`. */
  openApi(): Promise<OpenApiDocument>
  /** The number of open watches, and of different queries among them. */
  watching(): Watches['open']
  /** After this, every response is a 503, and streams end with an event that gives the reason. */
  stop(): void
}

/** The whole HTTP service on one context: one line per feature. `port` returns the listening port. */
export function createApi(ctx: AppContext, backups = NO_BACKUPS, port = () => ctx.config.port): Api {
  const responseBudget = newResponseBudget()
  const streams = new Streams(ctx, responseBudget.callers)
  const watches = new Watches(ctx, streams)
  const requests = new RequestMetrics()
  const { host: boundHost, publicUrls, trustedProxies } = ctx.config
  const rules = createBrowserRules({ boundHost, publicUrls })
  const isSecure = publicUrls.some((url) => url.startsWith('https:'))
  const cookie = sessionCookie(isSecure, port)
  const cookies = { session: cookie, provider: providerCookie(isSecure, port) }
  const authenticateSession = createSessionAuthenticate(ctx)
  const failures = new FailedSignIns(ctx)
  const origin = new OwnOrigin(ctx.config)
  const people = {
    cookie,
    authenticate: authenticateSession,
    failures,
    rules,
    browserOf,
    begin: ({ token }: NewSession) => cookie.set(token, LONGEST_SECONDS),
  }
  const subscribers = new ChangeSubscribers(ctx, streams)
  const rejected = rejectedCalls(ctx)
  const formBytes = new FormBytes(ctx)
  const features = [
    docsRoutes((): Promise<OpenApiDocument> => openApi(), publicUrls),
    applicationRoutes(publicUrls, (request) => cookie.tokenIn(request) !== undefined || isCrossSite(request)),
    healthRoutes(ctx.db, () => backups.problem),
    metricRoutes(ctx, {
      requests,
      watching: () => watches.open,
      backups,
      formBytes: () => formBytes.bytesToday,
    }),
    accountRoutes(readWorkspace),
    selfServiceRoutes(),
    ...sessionFeatures(ctx, cookies, authenticateSession, rules, failures, port),
    oauthRoutes(ctx, people, origin),
    noteRoutes(ctx),
    presenceRoutes(ctx, streams),
    filesOfNoteRoutes(),
    finderRoutes(ctx),
    tagRoutes(),
    propertyRoutes(),
    presetRoutes(),
    viewRoutes(),
    lensRoutes(ctx),
    quickAccessRoutes(),
    structureRoutes(),
    structureDeletionRoutes(),
    conversionRoutes(),
    rowViewRoutes(),
    recordRoutes(ctx, watches),
    recordDayRoutes(),
    webhookRoutes(ctx, streams),
    shareRoutes(ctx),
    visitorRoutes(ctx, formBytes, responseBudget.visitors),
    sourceRoutes(ctx, streams, rejected),
    incomingRoutes(ctx, rejected),
    fileRoutes(ctx),
    fileManagementRoutes(ctx),
    commentRoutes(),
    inboxRoutes(),
    importRoutes(),
    importTableRoutes(),
    importFileRoutes(ctx),
    backupRoutes(ctx),
    changeRoutes(ctx, subscribers),
    mcpRoutes(ctx),
  ]
  // The generator is loaded on first use, so that it adds nothing to the startup time.
  let document: Promise<OpenApiDocument> | undefined
  const openApi = () => {
    document ??= import('./http/openapi/document.ts').then(({ buildDocument }) =>
      buildDocument(app, DESCRIPTION),
    )
    return document
  }
  const { app, fetch, stop } = createPipeline(
    {
      authorize: createAuthorizer({
        clock: ctx.clock,
        authenticate: createAuthenticate(ctx),
        authenticateApp: createAppAuthenticate(ctx),
        sessions: { tokenIn: cookie.tokenIn, authenticate: authenticateSession },
        rules,
        requestsPerMinute: ctx.config.rateLimit,
        mirrorOf: ctx.mirrorOf,
        isMirrorWritable: ctx.isMirrorWritable,
      }),
      kernel: ctx.kernel,
      onRightEnd: (caller, listener) => streams.credentials.onEnd(caller, listener),
      rules,
      challengeFor: (request) => origin.challengeFor(request),
      corsOrigins: ctx.config.corsOrigins,
      log: ctx.log,
      requests,
      noteError: (error) => ctx.db.noteError(error),
      bodies: new BodyBudget(ctx.clock),
      responseBudget,
      trustedProxies,
      stopped: () => ctx.db.refusal ?? shuttingDown(),
    },
    features,
  )
  return {
    elysia: app,
    fetch,
    openApi,
    watching: () => watches.open,
    stop: () => {
      stop()
      streams.close()
      void rejected.write()
    },
  }
}

const named = (description: string, example: string) => text({ description, examples: [example] })

/** The parts of the OpenAPI document about the service as a whole, and the parameters in its paths. */
const DESCRIPTION: ApiDescription = {
  title: 'daybook',
  version: API_VERSION,
  description:
    'Notes, typed records and webhooks of one workspace. Every call except those of the service itself needs an API key, which gives access to one workspace and may be read-only. Lists are paged with `limit` and `offset`; every error returns `{error, code}`, or problem details (RFC 9457) if `Accept` names `application/problem+json`.',
  license: 'MIT',
  tags: [
    { name: 'Account', description: 'The caller of this key, and the contents of the workspace.' },
    { name: 'Notes', description: 'Notes with their tags, property values, links, revisions and trash.' },
    { name: 'Tags', description: 'Tags, and tags that imply others.' },
    { name: 'Properties', description: 'Typed values of notes.' },
    { name: 'Structures', description: 'Definitions of the fields of rows.' },
    { name: 'Records', description: 'The rows of a structure.' },
    {
      name: 'Views of rows',
      description: 'Saved filters, orders and columns of rows, as tables, boards or calendars.',
    },
    { name: 'Webhooks', description: 'Signed deliveries of changes to your own address.' },
    { name: 'Shares', description: 'Public pages: a shared note, view or table, or a form.' },
    { name: 'Sources', description: 'URLs for events of external services, which become rows.' },
    { name: 'Presets', description: 'Sets of tags and property values to apply to a note.' },
    { name: 'Views', description: 'Saved filters over notes.' },
    { name: 'Lenses', description: 'Saved settings of the graph of notes.' },
    { name: 'Quick Access', description: 'Notes pinned to the sidebar, in order.' },
    { name: 'Files', description: 'Files as readable text.' },
    { name: 'Search', description: 'Notes, rows, files and presets by a typed text.' },
    {
      name: 'Comments',
      description: 'Threads of comments on notes, passages and rows, and the inbox of a user.',
    },
    {
      name: 'Changes',
      description: 'The log of all changes, to follow, to read as history, and to undo.',
    },
    { name: 'Service', description: 'The server itself; needs no key.' },
  ],
  pathParameters: {
    'notes/{id}': id('The note.'),
    'trash/{id}': id('The note in the trash.'),
    'tags/{name}': named('The name of the tag, ignoring case.', 'work'),
    'revisions/{revisionId}': id('The revision.'),
    'tags/{id}': integer({ description: 'The number of the tag.', minimum: 1, examples: [1] }),
    'properties/{idOrKey}': named('The id or the key of the property.', 'status'),
    'structures/{nameOrId}': named('The id or the name of the structure.', 'Books'),
    'records/{id}': id('The record.'),
    'webhooks/{id}': id('The subscription.'),
    'deliveries/{deliveryId}': id('The delivery.'),
    'shares/{id}': id('The share.'),
    'sources/{id}': id('The source.'),
    'events/{eventId}': id('The event.'),
    'in/{token}': text({ maxLength: 100, description: 'The secret end of the URL of a source.' }),
    'presets/{idOrName}': named('The id or the name of the preset.', 'Meeting'),
    'views/{id}': id('The view.'),
    'records/views/{id}': id('The view of rows.'),
    'lenses/{id}': id('The lens.'),
    'quick-access/{id}': id('The item, or the note it pins.'),
    'files/{id}': id('The file.'),
    'comments/{id}': id('The comment.'),
  },
  webhooks: describeDeliveries,
  callbacks: describeCallbacks,
}
