import { Kind, type TSchema } from '@sinclair/typebox'
import type { AnyElysia } from 'elysia'
import type { Caller } from '../context.ts'
import { isRead, TOKEN } from './authorizer.ts'
import { type BodyBudget, SentBody } from './body.ts'
import { ACCESS, type EndpointMarks } from './endpoints.ts'
import type { Exchange } from './exchange.ts'
import { NoBody, NoQuery, UNCHECKED } from './schema/types.ts'
import { createCheck, readQuery } from './validation.ts'

/*
 * The endpoints of the features, as the application serves them. Elysia finds the endpoint of a request, and the pipeline does
 * the rest: Elysia itself would read and check queries and bodies before the key is checked, turn texts into numbers, drop
 * unknown members, and write the whole body into its error.
 */

/** What Elysia hands to a handler, as far as it is used here. */
export interface Context {
  readonly request: Request
  readonly params: Readonly<Record<string, string | null>>
  exchange: Exchange
  caller: Caller | undefined
  query: unknown
  body: unknown
}

/** Checks that the caller may call the endpoint, then query and body, and calls its handler. */
export type Endpoint = (exchange: Exchange, context: Context) => unknown

/** Serves a request with its endpoint; returns the finished response, also of a request that is refused. */
export type Serve = (endpoint: Endpoint, context: Context) => Response | Promise<Response>

type Handler = (context: Context) => unknown

/** Has the application serve the endpoints of a feature. */
export function mount(app: AnyElysia, feature: AnyElysia, bodies: BodyBudget, serve: Serve): void {
  for (const { method, path, handler, hooks } of feature.routes) {
    const { query = NoQuery, body = NoBody, response, detail } = hooks
    const { access, covers } = (detail ?? {}) as EndpointMarks
    if (method !== 'ALL' && !(access && covers))
      throw new Error(`${method} ${path} does not say who may call it, or what it covers`)
    const handle = handler as unknown as Handler
    const endpoint = access
      ? endpointOf(path, { access, covers, query, body }, handle, bodies)
      : (_: Exchange, context: Context) => handle(context)
    app.route(method, path, handlerOf(serve, endpoint), { detail: { ...detail, query, body, response } })
  }
}

/** Elysia derives what to prepare for a handler from its text, which a bound function does not show. */
export const handlerOf = (serve: Serve, endpoint: Endpoint): (() => unknown) =>
  serve.bind(undefined, endpoint) as () => unknown

type Marks = Pick<EndpointMarks, 'access' | 'covers' | 'query' | 'body'>

function endpointOf(
  path: string,
  { access, covers, query, body }: Marks,
  handler: Handler,
  bodies: BodyBudget,
): Endpoint {
  const rule = access === 'open' ? undefined : { ...ACCESS[access], covers }
  const queryOf = queryReader(query)
  const bodyOf = bodyReader(body)
  return (exchange, context) => {
    if (rule) exchange.admit(path, rule)
    else exchange.open(path)
    context.caller = exchange.caller
    context.query = queryOf(exchange)
    if (isRead(exchange.request)) return handler(context)
    return bodyOf(new SentBody(exchange, bodies), (value) => {
      context.body = value
      return handler(context)
    })
  }
}

const isUnchecked = (schema: TSchema): boolean => schema[Kind] === UNCHECKED

function queryReader(schema: TSchema): (exchange: Exchange) => unknown {
  if (isUnchecked(schema)) return () => undefined
  const names = Object.keys(schema.properties ?? {})
  const check = createCheck('query', schema)
  return (exchange) => {
    exchange.parameters = names
    const values = readQuery(exchange.search, schema)
    // The key is not one of the endpoint's parameters.
    if (exchange.takesToken) delete values[TOKEN]
    check(values)
    return values
  }
}

/** Hands the body to a function; one that is not checked is read by the handler. */
function bodyReader(schema: TSchema): (sent: SentBody, use: (body: unknown) => unknown) => unknown {
  if (isUnchecked(schema)) return (sent, use) => use(sent)
  const check = createCheck('body', schema)
  const isRequired = schema !== NoBody
  return async (sent, use) => use(await sent.read(check, isRequired))
}
