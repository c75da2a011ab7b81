import type { Reader } from '../db/reader.ts'
import { listSourcesOf, mapOf } from './store.ts'

/** The names of a structure's sources that write a field, or compare it. */
export const sourcesNamingField = (reader: Reader, structure: number, key: string): string[] =>
  listSourcesOf(reader, structure)
    .filter((source) => Object.hasOwn(mapOf(source), key) || source.newerBy === key)
    .map(({ name }) => name)
