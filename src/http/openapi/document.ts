import { swagger } from '@elysiajs/swagger'
import type { TSchema } from '@sinclair/typebox'
import { type AnyElysia, Elysia } from 'elysia'
import { TOKEN } from '../authorizer.ts'
import { headerComponents, parameterComponents } from './components.ts'
import { corrected, type JsonSchema, type SchemaComponents } from './corrections.ts'

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
  readonly info: Readonly<Record<string, unknown>>
  readonly paths: Record<string, Record<string, OpenApiOperation>>
  readonly components: { schemas: Record<string, JsonSchema> } & Record<string, unknown>
  readonly [member: string]: unknown
}

const GENERATOR_PATH = '/generated-openapi.json'

/** The OpenAPI 3.1 document of all endpoints: as `@elysiajs/swagger` generates it, with corrections. */
export async function buildDocument(app: AnyElysia, api: ApiDescription): Promise<OpenApiDocument> {
  const generator = new Elysia()
    .use(swagger({ specPath: GENERATOR_PATH, path: '/generated-page', documentation: stated(api) as object }))
    .use(app)
  const response = await generator.handle(new Request(`http://localhost${GENERATOR_PATH}`))
  return corrected((await response.json()) as OpenApiDocument, app.routes, api)
}

/** The parts of the document that do not depend on the endpoints, in the order of the document. */
const stated = ({ title, version, description, license, tags }: ApiDescription) => ({
  openapi: '3.1.0',
  info: {
    title,
    version,
    description,
    contact: { name: 'The operator of this server' },
    license: { name: license, identifier: license },
  },
  servers: [{ url: '/', description: 'The server that returned this document.' }],
  security: [{ apiKey: [] }],
  tags,
  paths: {},
  webhooks: {},
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
    responses: {},
  },
})
