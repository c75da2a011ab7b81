/** Writes `src/web/data/api-types.d.ts`, the types of the endpoints, from the OpenAPI document of the sources. */

import { spawnSync } from 'bun'
import openapiTypescript, { astToString } from 'openapi-typescript'

/** The path where the application imports them. */
export const WEB_TYPES = 'src/web/data/api-types.d.ts'

/** Members without a meaning for types. */
const PROSE = new Set([
  'description',
  'summary',
  'title',
  'example',
  'examples',
  'tags',
  'security',
  'headers',
])
/** Members whose own members are names chosen by an endpoint, such as a property `title`. */
const NAMED = new Set(['properties', 'schemas', 'paths', 'mapping'])

/** The document without prose, examples, headers and error responses. */
function reduced(value: unknown, hasNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => reduced(item))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => hasNames || !PROSE.has(name))
  return Object.fromEntries(
    members.map(([name, member]) => {
      if (!hasNames && name === 'responses') return [name, successes(member)]
      if (!hasNames && name === 'parameters') return [name, reduced(member.filter(isNoHeader))]
      return [name, reduced(member, !hasNames && NAMED.has(name))]
    }),
  )
}

/** Shared parameters are headers, too. */
const isNoHeader = (parameter: { in?: string }): boolean =>
  parameter.in === 'path' || parameter.in === 'query'

const successes = (responses: object): object =>
  Object.fromEntries(
    Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, { content }]) => [status, { description: '', content: reduced(content, true) }]),
  )

/** Lines for what an endpoint or a path lacks. `query` stays, because its absence would permit any query. */
const ABSENT =
  /^ *(?:get|put|post|delete|options|head|patch|trace|header|path|cookie|requestBody|content|responses|parameters|headers|pathItems)\?: never;\n/gm

interface Document {
  readonly openapi: string
  readonly info: object
  readonly paths: object
  readonly components: { readonly schemas: object }
}

/** Returns the types as text. */
export async function webTypes(document: object): Promise<string> {
  const { openapi, info, paths, components } = document as Document
  const types = await openapiTypescript({
    openapi,
    info,
    paths: reduced(paths, true),
    components: { schemas: reduced(components.schemas, true) },
  } as never)
  return `// Written by \`bun run web-types\`.\n${astToString(types).replace(ABSENT, '')}`
}

if (import.meta.main) {
  const { stdout } = spawnSync([process.execPath, 'src/main.ts', 'openapi'])
  await Bun.write(WEB_TYPES, await webTypes(JSON.parse(stdout.toString())))
}
