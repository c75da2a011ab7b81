import { swagger } from '@elysiajs/swagger'
import type { TSchema } from '@sinclair/typebox'
import { type AnyElysia, Elysia, type InternalRoute } from 'elysia'
import { TOKEN } from '../authorizer.ts'
import type { EndpointMarks } from '../endpoints.ts'
import { NoBody } from '../schema/types.ts'
import {
  ErrorBody,
  type ErrorStatus,
  errorResponseComponents,
  errorResponses,
  headerComponents,
  ProblemBody,
  parameterComponents,
  REPLAYED_HEADER,
  REQUEST_ID_HEADER,
} from './components.ts'
import {
  downloadHeaderComponents,
  downloadParameterComponents,
  downloadParameters,
  downloadResponses,
} from './download.ts'
import { exampleOf, type JsonSchema, SchemaComponents } from './schemas.ts'

/** The parts of the document that routes do not declare themselves. */
export interface ApiDescription {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly tags: readonly { name: string; description: string }[]
  /** Keyed by the preceding segment and the name, as in `notes/{id}`, or by one more segment. */
  readonly pathParameters: Readonly<Record<string, TSchema>>
  /** The requests that the service itself sends, by event. */
  readonly webhooks: (components: SchemaComponents) => Record<string, object>
  /** The requests that follow from an operation, by its id. */
  readonly callbacks: (components: SchemaComponents) => Record<string, object>
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

type Draft = Pick<OpenApiDocument, 'openapi' | 'paths'>

const GENERATOR_PATH = '/generated-openapi.json'

/** The document as generated; its schemas are not ready to be served. */
async function draft(app: AnyElysia): Promise<Draft> {
  const generator = new Elysia().use(swagger({ specPath: GENERATOR_PATH, path: '/generated-page' })).use(app)
  const response = await generator.handle(new Request(`http://localhost${GENERATOR_PATH}`))
  return (await response.json()) as Draft
}

/**
 * The OpenAPI 3.1 document of all endpoints. The generator names paths and operations. Parameters, bodies and responses
 * are written from the routes, because the generator's schemas are in OpenAPI 3.0, incomplete and written three times.
 */
export async function buildDocument(app: AnyElysia, api: ApiDescription): Promise<OpenApiDocument> {
  const { paths: drafted } = await draft(app)
  const components = new SchemaComponents()
  const errorSchema = components.write(ErrorBody)
  const problemSchema = components.write(ProblemBody)
  const callbacks = api.callbacks(components)
  const paths: OpenApiDocument['paths'] = {}
  for (const route of app.routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const method = route.method.toLowerCase()
    const operation = drafted[path]?.[method]
    if (!operation) continue
    const described = completed(operation, path, endpointOf(route), api, components)
    const following = callbacks[operation.operationId]
    paths[path] = { ...paths[path], [method]: following ? { ...described, callbacks: following } : described }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: api.version,
      description: api.description,
      contact: { name: 'The operator of this server' },
      license: { name: api.license, identifier: api.license },
    },
    servers: [{ url: '/', description: 'The server that returned this document.' }],
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
      parameters: { ...parameterComponents, ...downloadParameterComponents },
      headers: { ...headerComponents, ...downloadHeaderComponents },
      responses: errorResponseComponents(errorSchema, problemSchema),
      schemas: components.schemas,
    },
  }
}

/** The OpenAPI metadata of a route. */
interface Endpoint extends Omit<EndpointMarks, 'response'> {
  readonly method: string
  readonly response: TSchema | undefined
  /** The success status. */
  readonly status: number
}

function endpointOf({ method, hooks }: InternalRoute): Endpoint {
  const marks = hooks.detail as EndpointMarks
  const [[status, response] = [marks.once ? '201' : '200', marks.response]] = Object.entries(
    marks.response ?? {},
  ).filter(([key]) => /^2\d\d$/.test(key))
  return { ...marks, method, response, status: Number(status) }
}

const isUsed = (tag: string, paths: OpenApiDocument['paths']) =>
  Object.values(paths).some((methods) => Object.values(methods).some(({ tags }) => tags.includes(tag)))

function completed(
  { operationId, summary, description, tags }: OpenApiOperation,
  path: string,
  endpoint: Endpoint,
  api: ApiDescription,
  components: SchemaComponents,
): OpenApiOperation {
  const parameters = [
    ...pathParameters(path, api, components),
    ...queryParameters(endpoint.query, components),
    ...headerParameters(endpoint),
  ]
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags,
    ...securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body !== NoBody && {
      requestBody: { required: true, content: contentOf(endpoint.body, components) },
    }),
    responses: { ...success(endpoint, components), ...errorResponses(errorsOf(endpoint)) },
  }
}

/** The security of an operation that differs from the document's default, a key in the header. */
function securityOf({ access }: Endpoint): { security?: object[] } {
  if (access === 'open') return { security: [] }
  return access === 'stream' ? { security: [{ apiKey: [] }, { accessToken: [] }] } : {}
}

const contentOf = (schema: TSchema, components: SchemaComponents) => ({
  [schema.contentMediaType ?? 'application/json']: {
    schema: components.write(schema),
    ...(schema.format !== 'binary' && { example: exampleOf(schema) }),
  },
})

const isDownload = ({ response }: Endpoint): boolean => response?.format === 'binary'

function pathParameters(path: string, api: ApiDescription, components: SchemaComponents) {
  const segments = path.split('/')
  return segments.flatMap((segment, index) => {
    if (!segment.startsWith('{')) return []
    const first = lastNamed(segments, index)
    const placeFrom = (start: number) => segments.slice(start, index + 1).join('/')
    const place = placeFrom(first)
    const schema = api.pathParameters[placeFrom(first - 1)] ?? api.pathParameters[place]
    if (!schema) throw new Error(`the path parameter ${place} is not described`)
    return [parameter('path', segment.slice(1, -1), schema, true, components)]
  })
}

const lastNamed = (segments: string[], before: number) =>
  segments.findLastIndex((segment, index) => index < before && !segment.startsWith('{'))

function queryParameters(query: TSchema, components: SchemaComponents) {
  const required: string[] = query.required ?? []
  return Object.entries(query.properties as Record<string, TSchema>).map(([name, schema]) =>
    parameter('query', name, schema, required.includes(name), components),
  )
}

/**
 * Viewers send the `example` of a parameter. So only required parameters, or those that need no other, have one. Ids
 * have none, because no workspace contains the example's id.
 */
function parameter(
  place: 'path' | 'query',
  name: string,
  schema: TSchema,
  required: boolean,
  components: SchemaComponents,
) {
  const { description, examples, ...rest } = components.write(schema)
  const isNeeded = required || (typeof description === 'string' && description.includes('required without'))
  const isFilledIn = isNeeded && rest.format !== 'uuid' && rest.type !== 'integer'
  return {
    name,
    in: place,
    ...(description !== undefined && { description }),
    required,
    schema: isFilledIn || examples === undefined ? rest : { ...rest, examples },
    ...(isFilledIn && Array.isArray(examples) && { example: examples[0] }),
  }
}

/** Headers for safe repetition of creations, and for resuming streams and downloads. */
const headerParameters = (endpoint: Endpoint): object[] => [
  ...(endpoint.once ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ...(endpoint.response?.contentMediaType === 'text/event-stream'
    ? [{ $ref: '#/components/parameters/Last-Event-ID' }]
    : []),
  ...(isDownload(endpoint) ? downloadParameters : []),
]

function success(endpoint: Endpoint, components: SchemaComponents) {
  const { status, once, response } = endpoint
  const content = response && contentOf(response, components)
  if (content && isDownload(endpoint))
    return downloadResponses(content, components.write(ErrorBody), REQUEST_ID_HEADER)
  return {
    [status]: {
      description: SUCCESS_DESCRIPTIONS[status] ?? 'Done.',
      headers: once ? { ...REQUEST_ID_HEADER, ...REPLAYED_HEADER } : REQUEST_ID_HEADER,
      ...(content && { content }),
    },
  }
}

const SUCCESS_DESCRIPTIONS: Record<number, string> = { 201: 'Made.', 202: 'Accepted.' }

const isJudged = ({ method, access }: Pick<Endpoint, 'method' | 'access'>): boolean =>
  access !== 'open' || method !== 'GET'

/** The errors that an operation can return depend on its kind; calls without a key are limited by address. */
const errorsOf = ({ method, access, cursor }: Endpoint): ErrorStatus[] => [
  400,
  ...(isJudged({ method, access }) ? ([401] as const) : []),
  ...(access === 'write' ? ([403] as const) : []),
  ...(isJudged({ method, access }) ? ([404] as const) : []),
  ...(access === 'write' ? ([409] as const) : []),
  ...(cursor ? ([410] as const) : []),
  ...(method === 'GET' ? [] : ([413, 415] as const)),
  ...(isJudged({ method, access }) ? ([429] as const) : []),
  431,
  500,
  503,
]
