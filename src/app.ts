import type { TSchema } from '@sinclair/typebox'
import { type AnyElysia, Elysia, ValidationError } from 'elysia'
import { createAuthenticate } from './account/keys.ts'
import { accountRoutes } from './account/routes.ts'
import { apiDescription } from './api-description.ts'
import type { AppContext } from './context.ts'
import { fileRoutes } from './files/routes.ts'
import { createDoor } from './http/auth.ts'
import { docsRoutes } from './http/docs.ts'
import { createEdge, type Peer } from './http/edge.ts'
import { errorResponse } from './http/errors.ts'
import { exchangeOf } from './http/exchange.ts'
import { healthRoutes } from './http/health.ts'
import type { OpenApiDocument } from './http/openapi/document.ts'
import { createOpenApi, openApiRoutes } from './http/openapi/routes.ts'
import { type Route, RouteTable } from './http/route-table.ts'
import { NoBody } from './http/types.ts'
import { validationRefusal } from './http/validation.ts'
import { lensRoutes } from './lenses/routes.ts'
import { noteRoutes } from './notes/routes.ts'
import { presetRoutes } from './presets/routes.ts'
import { propertyRoutes } from './properties/routes.ts'
import { quickAccessRoutes } from './quick-access/routes.ts'
import { recordRoutes } from './records/routes.ts'
import { Watches } from './records/watch.ts'
import { structureRoutes } from './structures/routes.ts'
import { tagRoutes } from './tags/routes.ts'
import { viewRoutes } from './views/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export interface App {
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
export function createApp(ctx: AppContext): App {
  let stopping = false
  const isStopping = () => stopping
  const watches = new Watches(ctx)
  const openApi = createOpenApi((): AnyElysia => elysia, apiDescription)
  const elysia = new Elysia({ normalize: false, encodeSchema: false, handler: { standardHostname: false } })
    .onParse(({ request }) => exchangeOf(request).body)
    .onTransform((context) => {
      // Set by name: Elysia reads this function's text, and computes cookies and more for one it cannot see through.
      context.query = exchangeOf(context.request).query as typeof context.query
    })
    .onError(({ error, request }) => errorResponse(asRefusal(error), exchangeOf(request).requestId, ctx.log))
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
  const edge = createEdge({
    routes,
    handle: async (request) => elysia.handle(request),
    admit: createDoor(ctx.clock, createAuthenticate(ctx), ctx.config.rateLimit),
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
