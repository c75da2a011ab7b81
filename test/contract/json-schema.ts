import type { OpenApiDocument } from '../../src/http/openapi/document.ts'

/** The subset of JSON Schema that the document uses. */
interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  minimum?: number
  maximum?: number
}

const FORMATS: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
}

function typeOf(value: unknown): string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value]
}

/** Returns where and how a value violates the schema; ids and timestamps must match the documented formats. */
export function faultsOf(
  value: unknown,
  schema: Schema,
  components: OpenApiDocument['components'],
  place = '$',
): string[] {
  if (schema.$ref) {
    const named = components.schemas[schema.$ref.split('/').at(-1) ?? '']
    return named ? faultsOf(value, named, components, place) : [`${place}: ${schema.$ref} is not defined`]
  }
  if (schema.oneOf) {
    const fitting = schema.oneOf.filter((option) => faultsOf(value, option, components, place).length === 0)
    return fitting.length === 1 ? [] : [`${place}: fits ${fitting.length} of the alternatives`]
  }
  if (schema.anyOf) {
    const fits = schema.anyOf.some((option) => faultsOf(value, option, components, place).length === 0)
    return fits ? [] : [`${place}: fits none of the options`]
  }
  if (schema.type && !typeOf(value).some((type) => [schema.type].flat().includes(type)))
    return [`${place}: is ${typeOf(value)[0]}, not ${schema.type}`]
  if (schema.enum && !schema.enum.includes(value)) return [`${place}: ${value} is not in the list`]
  if (typeof value === 'string') return faultsOfText(value, schema, place)
  if (typeof value === 'number' && value < (schema.minimum ?? value)) return [`${place}: is too small`]
  if (typeof value === 'number' && value > (schema.maximum ?? value)) return [`${place}: is too large`]
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      faultsOf(item, schema.items ?? {}, components, `${place}[${index}]`),
    )
  }
  return value !== null && typeof value === 'object' ? faultsOfObject(value, schema, components, place) : []
}

function faultsOfText(value: string, { type, format, pattern }: Schema, place: string): string[] {
  // A value without a declared type belongs to a caller's own field.
  if (type !== undefined && format === undefined && FORMATS['date-time']?.test(value))
    return [`${place}: is an instant, and has no format`]
  const rules = [format ? FORMATS[format] : undefined, pattern ? new RegExp(pattern, 'u') : undefined]
  return rules.some((rule) => rule && !rule.test(value)) ? [`${place}: "${value}" has another form`] : []
}

function faultsOfObject(
  value: object,
  { properties = {}, required = [], additionalProperties }: Schema,
  components: OpenApiDocument['components'],
  place: string,
): string[] {
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${place}.${name}: is missing`)
  const members = Object.entries(value).flatMap(([name, member]) => {
    const known = properties[name] ?? additionalProperties
    if (known === false) return [`${place}.${name}: is not declared`]
    return typeof known === 'object' ? faultsOf(member, known, components, `${place}.${name}`) : []
  })
  return [...missing, ...members]
}
