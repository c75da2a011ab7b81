import type { TSchema } from '@sinclair/typebox'
import { type AnyElysia, Elysia, ValidationError } from 'elysia'
import { createAuthenticate } from './account/keys.ts'
import { accountRoutes } from './account/routes.ts'
import type { AppContext } from './context.ts'
import { fileRoutes } from './files/routes.ts'
import { createAuthorizer } from './http/authorizer.ts'
import { docsRoutes } from './http/docs/routes.ts'
import { errorResponse } from './http/errors.ts'
import { healthRoutes } from './http/health.ts'
import type { ApiDescription, OpenApiDocument } from './http/openapi/document.ts'
import { createOpenApi, openApiRoutes } from './http/openapi/routes.ts'
import { createPipeline, type Peer } from './http/pipeline.ts'
import { requestContextOf } from './http/request-context.ts'
import { type Route, RouteTable } from './http/route-table.ts'
import { id, integer, NoBody, text } from './http/schema/types.ts'
import { validationRefusal } from './http/validation.ts'
import { lensRoutes } from './lenses/routes.ts'
import { noteRoutes } from './notes/routes.ts'
import { presetRoutes } from './presets/routes.ts'
import { propertyRoutes } from './properties/routes.ts'
import { quickAccessRoutes } from './quick-access/routes.ts'
import { recordRoutes } from './records/routes.ts'
import { Watches } from './records/watch/watches.ts'
import { structureRoutes } from './structures/routes.ts'
import { tagRoutes } from './tags/routes.ts'
import { viewRoutes } from './views/routes.ts'
import { describeDeliveries } from './webhooks/openapi.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export interface Api {
  readonly routes: readonly Route[]
  /** Answers one request; `peer` says where it came from. */
  fetch(request: Request, peer?: Peer): Promise<Response>
  /** The OpenAPI document of the service, as `/openapi.json` answers it. */
  openApi(): Promise<OpenApiDocument>
  /** How many watches are open, and how many questions they ask. */
  watching(): Watches['open']
  /** From now on everything answers 503; streams are told so, and end. */
  stop(): void
}

const LOCAL_PEER: Peer = { address: () => 'local', limitIdle: () => {} }

/** The whole HTTP service over one context: one `.use()` line per feature. */
export function createApi(ctx: AppContext): Api {
  let stopping = false
  const isStopping = () => stopping
  const watches = new Watches(ctx)
  const openApi = createOpenApi((): AnyElysia => elysia, DESCRIPTION)
  const elysia = new Elysia({ normalize: false, encodeSchema: false, handler: { standardHostname: false } })
    .onParse(({ request }) => requestContextOf(request).body)
    .onTransform((context) => {
      // Set by name: Elysia reads this function's text, and computes cookies and more for one it cannot see through.
      context.query = requestContextOf(context.request).query as typeof context.query
    })
    .onError(({ error, request }) =>
      errorResponse(asRefusal(error), requestContextOf(request).requestId, ctx.log),
    )
    .use(openApiRoutes(openApi))
    .use(docsRoutes())
    .use(healthRoutes(ctx.db, isStopping))
    .use(accountRoutes(ctx))
    .use(noteRoutes(ctx))
    .use(tagRoutes(ctx))
    .use(propertyRoutes(ctx))
    .use(presetRoutes(ctx))
    .use(viewRoutes(ctx))
    .use(lensRoutes(ctx))
    .use(quickAccessRoutes(ctx))
    .use(structureRoutes(ctx))
    .use(recordRoutes(ctx, watches))
    .use(webhookRoutes(ctx))
    .use(fileRoutes(ctx))
  const routes = new RouteTable(elysia.routes.map(routeOf))
  const edge = createPipeline({
    routes,
    handle: async (request) => elysia.handle(request),
    authorize: createAuthorizer(ctx.clock, createAuthenticate(ctx), ctx.config.rateLimit),
    corsOrigins: ctx.config.corsOrigins,
    log: ctx.log,
    isStopping,
  })
  return {
    routes: routes.routes,
    fetch: (request, peer = LOCAL_PEER) => edge(request, peer),
    openApi,
    watching: () => watches.open,
    stop: () => {
      stopping = true
      watches.close()
    },
  }
}

/** Elysia judges again what the edge has judged. Should it be stricter, that is the caller's fault, not ours. */
const asRefusal = (error: unknown): unknown =>
  error instanceof ValidationError && (error.type === 'body' || error.type === 'query')
    ? validationRefusal(error.type, [])
    : error

interface RouteHooks {
  body?: TSchema
  query?: TSchema
  detail?: { 'x-write'?: boolean; 'x-token'?: boolean }
}

function routeOf({ method, path, hooks }: { method: string; path: string; hooks: RouteHooks }): Route {
  return {
    method,
    pattern: path.replace(/(?<=.)\/$/, ''),
    needsKey: path.startsWith('/v1/'),
    needsWrite: hooks.detail?.['x-write'] === true,
    takesToken: hooks.detail?.['x-token'] === true,
    query: hooks.query,
    body: hooks.body,
    takesBody: hooks.body !== undefined && hooks.body !== NoBody,
  }
}

const named = (description: string, example: string) => text({ description, examples: [example] })

/** What the OpenAPI document says of the service as a whole, and of the parameters in its paths. */
const DESCRIPTION: ApiDescription = {
  title: 'daybook',
  version: '1.0.0',
  description:
    'Notes, typed records and webhooks of one workspace. Every call but those of the service itself carries an API key, which opens one workspace and may be read-only. Lists are paged with `limit` and `offset`; every error answers `{error, code}`.',
  license: 'MIT',
  tags: [
    { name: 'Account', description: 'Whose key this is, and what the workspace holds.' },
    { name: 'Notes', description: 'Notes with their tags, property values, links, revisions and trash.' },
    { name: 'Tags', description: 'Tags, and the tags that come along with them.' },
    { name: 'Properties', description: 'The typed values that notes may carry.' },
    { name: 'Structures', description: 'What the rows of a list look like.' },
    { name: 'Records', description: 'The rows of a structure.' },
    { name: 'Webhooks', description: 'Signed deliveries of record changes to your own address.' },
    { name: 'Presets', description: 'Sets of tags and property values to write onto a note.' },
    { name: 'Views', description: 'Saved filters over notes.' },
    { name: 'Lenses', description: 'What the graph of notes shows.' },
    { name: 'Quick Access', description: 'Notes pinned to the sidebar, in order.' },
    { name: 'Files', description: 'Files as readable text.' },
    { name: 'Service', description: 'The server itself; needs no key.' },
  ],
  pathParameters: {
    'notes/{id}': id('The note.'),
    'tags/{name}': named('The name of the tag, ignoring case.', 'work'),
    'revisions/{revisionId}': id('The revision.'),
    'tags/{id}': integer({ description: 'The number of the tag.', minimum: 1, examples: [1] }),
    'properties/{idOrKey}': named('The id or the key of the property.', 'status'),
    'structures/{nameOrId}': named('The id or the name of the structure.', 'Tasks'),
    'records/{id}': id('The record.'),
    'webhooks/{id}': id('The subscription.'),
    'deliveries/{deliveryId}': id('The delivery.'),
    'presets/{idOrName}': named('The id or the name of the preset.', 'Meeting'),
    'views/{id}': id('The view.'),
    'lenses/{id}': id('The lens.'),
    'quick-access/{id}': id('The item, or the note it pins.'),
    'files/{id}': id('The file.'),
  },
  webhooks: describeDeliveries,
}
