import { api } from '../../data/api.ts'
import type { components } from '../../data/api-types.d.ts'
import { PRESETS } from '../../data/presets.ts'
import { useQuery } from '../../data/use-query.ts'
import type { Definitions } from './filter/tree.ts'

export type View = components['schemas']['View']
export type Lens = components['schemas']['Lens']
export type Preset = components['schemas']['Preset']
export type { Property, Tag } from './filter/tree.ts'

export const useViews = () =>
  useQuery(['view tag property'], ({ signal }) => api.get('/v1/views', { signal }))
export const useLenses = () => useQuery(['lens'], ({ signal }) => api.get('/v1/lenses', { signal }))
export const usePresets = () => useQuery(PRESETS.queryKey, PRESETS.queryFn)
export const useTags = () => useQuery(['tag note', 'list'], ({ signal }) => api.get('/v1/tags', { signal }))
export const useProperties = () =>
  useQuery(['property note', 'list'], ({ signal }) => api.get('/v1/properties', { signal }))

/** The tags and properties that filters can name; undefined while they load. */
export function useDefinitions(): Definitions | undefined {
  const tags = useTags().data?.tags
  const properties = useProperties().data?.properties
  return tags && properties && { tags, properties }
}

/** A property value of the given type, from text; null if empty. */
export function typedValue(type: string, text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return null
  if (type === 'number') return Number(trimmed)
  if (type === 'bool') return trimmed === 'true' || trimmed === 'yes'
  if (type !== 'json') return text
  try {
    return JSON.parse(trimmed)
  } catch {
    return text
  }
}

/** A property value as editable text. */
export const valueText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
