import type { TSchema } from '@sinclair/typebox'
import type { InternalRoute } from 'elysia'
import type { EndpointMarks } from '../endpoints.ts'
import { NoBody, type RuleSchema } from '../schema/types.ts'
import {
  downloadParameters,
  downloadResponses,
  ENTITY_HEADER,
  ErrorBody,
  type ErrorStatus,
  errorResponseComponents,
  errorResponses,
  ProblemBody,
  REPLAYED_HEADER,
  REQUEST_ID_HEADER,
} from './components.ts'
import type { ApiDescription, OpenApiDocument, OpenApiOperation } from './document.ts'

/*
 * Everything that the generator gets wrong. It names paths and operations, but:
 *
 * - its schemas are those of OpenAPI 3.0 with internal members, are incomplete, and stand three times in every body, so
 *   parameters, bodies and responses are written here from the declarations of the endpoints;
 * - it has no errors, no security of single operations, no callbacks, and every tag, used or not;
 * - it puts the members of `info` into its own order;
 * - its page loads scripts from another host (`docs/routes.ts` has its own).
 */

/** Corrects the generated document; `routes` are those of the application that it describes. */
export function corrected(
  { info: { title, version, description, ...info }, ...generated }: OpenApiDocument,
  routes: readonly InternalRoute[],
  api: ApiDescription,
): OpenApiDocument {
  const components = new SchemaComponents()
  const errors = errorResponseComponents(components.write(ErrorBody), components.write(ProblemBody))
  const callbacks = api.callbacks(components)
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const method = route.method.toLowerCase()
    const operation = generated.paths[path]?.[method]
    if (!operation) continue
    const described = completed(operation, path, endpointOf(route), api, components)
    const following = callbacks[operation.operationId]
    paths[path] = { ...paths[path], [method]: following ? { ...described, callbacks: following } : described }
  }
  const { openapi, ...others } = generated
  return {
    openapi,
    info: { title, version, description, ...info },
    ...others,
    tags: api.tags.filter(({ name }) => isUsed(name, paths)),
    paths,
    webhooks: api.webhooks(components),
    components: { ...generated.components, responses: errors, schemas: components.schemas },
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
  ...(endpoint.entity
    ? [{ $ref: `#/components/parameters/${isRead(endpoint) ? 'If-None-Match' : 'If-Match'}` }]
    : []),
]

const isRead = ({ method }: Endpoint): boolean => method === 'GET'

const isTagged = (endpoint: Endpoint): boolean => endpoint.entity === true && isRead(endpoint)

function success(endpoint: Endpoint, components: SchemaComponents) {
  const { status, once, response } = endpoint
  const content = response && contentOf(response, components)
  if (content && isDownload(endpoint))
    return downloadResponses(content, components.write(ErrorBody), REQUEST_ID_HEADER)
  const headers = {
    ...REQUEST_ID_HEADER,
    ...(once && REPLAYED_HEADER),
    ...(isTagged(endpoint) && ENTITY_HEADER),
  }
  return {
    [status]: {
      description: SUCCESS_DESCRIPTIONS[status] ?? 'Done.',
      headers,
      ...(content && { content }),
    },
    ...(isTagged(endpoint) && { 304: { description: 'The object matches `If-None-Match`.', headers } }),
  }
}

const SUCCESS_DESCRIPTIONS: Record<number, string> = { 201: 'Created.', 202: 'Accepted.' }

const canBeRefused = ({ method, access }: Pick<Endpoint, 'method' | 'access'>): boolean =>
  access !== 'open' || method !== 'GET'

/** The errors that an operation can return depend on its kind; calls without a key are limited by address. */
const errorsOf = ({ method, access, cursor, entity }: Endpoint): ErrorStatus[] => [
  400,
  ...(canBeRefused({ method, access }) ? ([401] as const) : []),
  ...(access === 'write' ? ([403] as const) : []),
  ...(canBeRefused({ method, access }) ? ([404] as const) : []),
  ...(access === 'write' ? ([409] as const) : []),
  ...(cursor ? ([410] as const) : []),
  ...(entity && method !== 'GET' ? ([412] as const) : []),
  ...(method === 'GET' ? [] : ([413, 415] as const)),
  ...(canBeRefused({ method, access }) ? ([429] as const) : []),
  431,
  500,
  503,
]

/* Schemas and examples. */

/** A JSON Schema in the document. */
export type JsonSchema = Record<string, unknown>

/** The published keywords; `words`, `rules` and `$id` are not. */
const KEYWORDS = [
  'type',
  'format',
  'enum',
  'const',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
  'default',
  'deprecated',
  'examples',
] as const

/** Collects named schemas (`$id`) while others are written with references to them. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {}

  /** The schema as JSON Schema 2020-12; a named one becomes a component and a reference to it. */
  write(schema: TSchema): JsonSchema {
    if (typeof schema.$ref === 'string') return { $ref: referenceTo(schema.$ref) }
    if (schema.$id === undefined) return this.#writeInline(schema)
    if (!(schema.$id in this.schemas)) {
      this.schemas[schema.$id] = {}
      this.schemas[schema.$id] = this.#writeInline(schema)
    }
    return { $ref: referenceTo(schema.$id) }
  }

  #writeInline(schema: TSchema): JsonSchema {
    const written: JsonSchema = {}
    for (const keyword of KEYWORDS) {
      if (schema[keyword] !== undefined) written[keyword] = schema[keyword]
    }
    const description = describe(schema as TSchema & Partial<RuleSchema>)
    if (description !== undefined) written.description = description
    if (schema.oneOf) return this.#writeAlternatives(schema, written)
    if (schema.properties) written.properties = this.#writeAll(schema.properties)
    if (schema.items) written.items = this.write(schema.items)
    this.#writeAdditional(schema, written)
    if (schema.anyOf) this.#writeUnion(schema.anyOf, written)
    return written
  }

  #writeAll(schemas: Record<string, TSchema>): Record<string, JsonSchema> {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.write(schema)]))
  }

  #writeAdditional({ additionalProperties }: TSchema, written: JsonSchema): void {
    if (typeof additionalProperties === 'boolean') written.additionalProperties = additionalProperties
    else if (additionalProperties) written.additionalProperties = this.write(additionalProperties)
  }

  /** Alternatives that the document shows in place of the members that the service checks. */
  #writeAlternatives({ oneOf, discriminator }: TSchema, { description, examples }: JsonSchema): JsonSchema {
    const options = (oneOf as TSchema[]).map((option) => ({ option, reference: this.write(option) }))
    return {
      ...(description !== undefined && { description }),
      ...(examples !== undefined && { examples }),
      oneOf: options.map(({ reference }) => reference),
      ...(typeof discriminator === 'string' && {
        discriminator: { propertyName: discriminator, mapping: mappingOf(discriminator, options) },
      }),
    }
  }

  /** `X or null` is one schema of two types if X has a plain type; any other union stays one. */
  #writeUnion(options: TSchema[], written: JsonSchema): void {
    const others = options.filter(({ type }) => type !== 'null')
    const [only] = others
    if (others.length < options.length && others.length === 1 && isPlain(only)) {
      const inner = this.write(only)
      Object.assign(written, { ...inner, ...written, type: [inner.type, 'null'] })
      if (Array.isArray(inner.enum)) written.enum = [...inner.enum, null]
      return
    }
    written.anyOf = options.map((option) => this.write(option))
  }
}

/** Maps each value of the discriminating member to its named schema. */
const mappingOf = (member: string, options: { option: TSchema; reference: JsonSchema }[]) =>
  Object.fromEntries(
    options.map(({ option, reference }) => [option.properties[member].enum[0], reference.$ref]),
  )

/** The description, including rules that JSON Schema cannot state. */
function describe({ description, words, rules }: TSchema & Partial<RuleSchema>): string | undefined {
  if (!(rules?.says || rules?.singleLine || rules?.trimmed)) return description
  return [description, `Must be ${words}.`].filter(Boolean).join(' ')
}

const referenceTo = (name: string) => `#/components/schemas/${name}`

const isPlain = (schema: TSchema | undefined): schema is TSchema =>
  schema !== undefined && typeof schema.type === 'string' && schema.$id === undefined

/** A valid value, composed from the `examples` of the schema. */
export function exampleOf(schema: TSchema): unknown {
  const [example] = schema.examples ?? []
  if (example !== undefined) return example
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return exampleOfUnion(schema.anyOf)
  return exampleOfType(schema)
}

/** An example of the first option that has one; else null if allowed. */
function exampleOfUnion(options: TSchema[]): unknown {
  const chosen = options.find(({ examples }) => examples) ?? options.find(({ type }) => type === 'null')
  return exampleOf(chosen ?? (options[0] as TSchema))
}

function exampleOfType(schema: TSchema): unknown {
  const types: string[] = [schema.type].flat()
  if (types.includes('null')) return null
  if (types.includes('object')) return exampleOfObject(schema)
  if (types.includes('array')) return exampleOfList(schema)
  if (types.includes('boolean')) return false
  if (types.includes('integer') || types.includes('number')) return schema.minimum ?? 1
  return types.includes('string') ? 'text' : null
}

function exampleOfObject({ properties = {} }: TSchema): unknown {
  const members = Object.entries(properties as Record<string, TSchema>)
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member)]))
}

function exampleOfList({ items, maxItems }: TSchema): unknown {
  return items && maxItems !== 0 ? [exampleOf(items)] : []
}
