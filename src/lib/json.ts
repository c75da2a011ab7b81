export type JsonObject = Record<string, unknown>

/** Whether a JSON value is an object: no array and not null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
