import { swagger } from '@elysiajs/swagger'
import { Kind, type TSchema } from '@sinclair/typebox'
import { type AnyElysia, Elysia } from 'elysia'
import { TOKEN } from '../authorizer.ts'
import { NoBody } from '../schema/types.ts'
import { ErrorBody, type ErrorStatus, errorResponseComponents, errorResponses } from './errors.ts'
import { headerComponents, parameterComponents, REPLAYED_HEADER, REQUEST_ID_HEADER } from './headers.ts'
import { exampleOf, type JsonSchema, SchemaComponents } from './schemas.ts'

/** What the document says beyond what the routes say of themselves. */
export interface ApiDescription {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly tags: readonly { name: string; description: string }[]
  /** By the segment before it and its name, as in `notes/{id}`. */
  readonly pathParameters: Readonly<Record<string, TSchema>>
  /** The requests that the service makes itself, by event. */
  readonly webhooks: (components: SchemaComponents) => Record<string, object>
}

export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly responses: Record<string, unknown>
  readonly [member: string]: unknown
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Record<string, Record<string, OpenApiOperation>>
  readonly components: { schemas: Record<string, JsonSchema> } & Record<string, unknown>
  readonly [member: string]: unknown
}

interface RouteHooks {
  query?: TSchema
  body?: TSchema
  response?: TSchema | Record<string, TSchema>
  detail?: Record<string, unknown>
}

interface RouteOfApp {
  method: string
  path: string
  hooks: RouteHooks
}

type Draft = Pick<OpenApiDocument, 'openapi' | 'paths'>

const GENERATOR_PATH = '/generated-openapi.json'
const DEFAULT_SUCCESS = '200'

/** The document as the generator writes it; its schemas are not yet fit to be served. */
async function draft(app: AnyElysia): Promise<Draft> {
  const generator = new Elysia().use(swagger({ specPath: GENERATOR_PATH, path: '/generated-page' })).use(app)
  const answer = await generator.handle(new Request(`http://localhost${GENERATOR_PATH}`))
  return (await answer.json()) as Draft
}

/**
 * The OpenAPI 3.1 document of the routes of `app`. The generator names paths and operations; their schemas
 * it writes in the manner of 3.0, incomplete and three times over, so those are written anew from the routes.
 */
export async function buildDocument(app: AnyElysia, api: ApiDescription): Promise<OpenApiDocument> {
  const { paths: drafted } = await draft(app)
  const components = new SchemaComponents()
  const errorSchema = components.write(ErrorBody)
  const paths: OpenApiDocument['paths'] = {}
  for (const route of app.routes as RouteOfApp[]) {
    const draftedPath = route.path.replace(/:(\w+)/g, '{$1}')
    const operation = drafted[draftedPath]?.[route.method.toLowerCase()]
    if (!operation) continue
    const path = draftedPath.replace(/(?<=.)\/$/, '')
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: completed(operation, path, route, api, components),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: api.version,
      description: api.description,
      license: { name: api.license, identifier: api.license },
    },
    servers: [{ url: '/', description: 'The server this document came from.' }],
    security: [{ apiKey: [] }],
    tags: api.tags.filter(({ name }) => isUsed(name, paths)),
    paths,
    webhooks: api.webhooks(components),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer dbk_…`.' },
        accessToken: {
          type: 'apiKey',
          in: 'query',
          name: TOKEN,
          description: 'An API key, for clients that cannot set headers, where the endpoint says so.',
        },
      },
      parameters: parameterComponents,
      headers: headerComponents,
      responses: errorResponseComponents(errorSchema),
      schemas: components.schemas,
    },
  }
}

const isUsed = (tag: string, paths: OpenApiDocument['paths']) =>
  Object.values(paths).some((methods) => Object.values(methods).some(({ tags }) => tags.includes(tag)))

function completed(
  operation: OpenApiOperation,
  path: string,
  { method, hooks }: RouteOfApp,
  api: ApiDescription,
  components: SchemaComponents,
): OpenApiOperation {
  const { operationId, summary, description, tags } = operation
  const security = takesToken(hooks) ? [{ apiKey: [] }, { accessToken: [] }] : operation.security
  const parameters = [
    ...pathParameters(path, api, components),
    ...queryParameters(hooks.query, components),
    ...headerParameters(hooks),
  ]
  const body = hooks.body && hooks.body !== NoBody ? hooks.body : undefined
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags,
    ...(security !== undefined && { security }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: contentOf(body, components) } }),
    responses: {
      ...successes(hooks, components),
      ...errorResponses(errorsOf(method, hooks)),
    },
  }
}

const contentOf = (schema: TSchema, components: SchemaComponents) => ({
  [schema.contentMediaType ?? 'application/json']: {
    schema: components.write(schema),
    example: exampleOf(schema),
  },
})

function pathParameters(path: string, api: ApiDescription, components: SchemaComponents) {
  const segments = path.split('/')
  return segments.flatMap((segment, index) => {
    if (!segment.startsWith('{')) return []
    const place = segments.slice(lastNamed(segments, index), index + 1).join('/')
    const schema = api.pathParameters[place]
    if (!schema) throw new Error(`the path parameter ${place} is not described`)
    return [parameter('path', segment.slice(1, -1), schema, true, components)]
  })
}

const lastNamed = (segments: string[], before: number) =>
  segments.findLastIndex((segment, index) => index < before && !segment.startsWith('{'))

function queryParameters(query: TSchema | undefined, components: SchemaComponents) {
  const required: string[] = query?.required ?? []
  return Object.entries((query?.properties ?? {}) as Record<string, TSchema>).map(([name, schema]) =>
    parameter('query', name, schema, required.includes(name), components),
  )
}

function parameter(
  place: 'path' | 'query',
  name: string,
  schema: TSchema,
  required: boolean,
  components: SchemaComponents,
) {
  const { description, examples, ...rest } = components.write(schema)
  return {
    name,
    in: place,
    ...(description !== undefined && { description }),
    required,
    schema: rest,
    ...(Array.isArray(examples) && { example: examples[0] }),
  }
}

const creates = ({ detail }: RouteHooks) => detail?.['x-creates'] === true
const takesToken = ({ detail }: RouteHooks) => detail?.['x-token'] === true
const isStream = ({ response }: RouteHooks) =>
  isSchema(response) && response.contentMediaType === 'text/event-stream'

/** What makes the same thing twice may be told not to, and a stream what was seen of it (contract, section 11). */
const headerParameters = (hooks: RouteHooks): object[] => [
  ...(creates(hooks) ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ...(isStream(hooks) ? [{ $ref: '#/components/parameters/Last-Event-ID' }] : []),
]

function successes(hooks: RouteHooks, components: SchemaComponents) {
  const { response } = hooks
  const byStatus = isSchema(response) ? { [DEFAULT_SUCCESS]: response } : (response ?? {})
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, schema]) => [
      status,
      {
        description: SUCCESS_DESCRIPTIONS[status] ?? 'Done.',
        headers: creates(hooks) ? { ...REQUEST_ID_HEADER, ...REPLAYED_HEADER } : REQUEST_ID_HEADER,
        content: contentOf(schema, components),
      },
    ]),
  )
}

const isSchema = (response: RouteHooks['response']): response is TSchema =>
  response !== undefined && Kind in response

const SUCCESS_DESCRIPTIONS: Record<string, string> = { '200': 'Done.', '201': 'Made.', '202': 'Accepted.' }

/** Which errors an operation can answer follows from its kind. */
function errorsOf(method: string, { detail }: RouteHooks): ErrorStatus[] {
  const isPublic = detail?.security !== undefined
  const isWrite = detail?.['x-write'] === true
  return [
    400,
    ...(isPublic ? [] : ([401] as const)),
    ...(isWrite ? ([403] as const) : []),
    ...(isPublic ? [] : ([404] as const)),
    ...(isWrite ? ([409] as const) : []),
    ...(method === 'GET' ? [] : ([413] as const)),
    ...(isPublic ? [] : ([429] as const)),
    431,
    500,
    503,
  ]
}
