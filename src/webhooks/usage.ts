import type { Reader } from '../db/reader.ts'
import { fieldsOf, filterOf, listWebhooksOf } from './store.ts'

/** The ids of the subscriptions of a structure whose filter or list of fields names a field. */
export const webhooksNamingField = (reader: Reader, structurePk: number, key: string): string[] =>
  listWebhooksOf(reader, structurePk)
    .filter((row) => filterOf(row).some(({ field }) => field === key) || fieldsOf(row)?.includes(key))
    .map(({ id }) => id)
