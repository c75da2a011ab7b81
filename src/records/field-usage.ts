import type { Caller } from '../context.ts'
import type { RawCondition } from '../filter/record/parse.ts'
import { fieldsInTemplate } from '../log/message.ts'
import type { Reader } from '../storage/reader.ts'
import { rollupsOver } from './structures/rollups.ts'
import { rowViewsNaming } from './views/service.ts'

interface SubscriptionColumns {
  readonly id: string
  readonly filter: string | null
  readonly fields: string | null
  readonly due: string | null
  readonly template: string | null
}

/** The keys of the fields that a subscription to rows names. */
const fieldsNamedBy = ({ filter, fields, due, template }: SubscriptionColumns): string[] => [
  ...(JSON.parse(filter ?? '[]') as RawCondition[]).map(({ field }) => field),
  ...(JSON.parse(fields ?? '[]') as string[]),
  ...(due === null ? [] : [(JSON.parse(due) as { field: string }).field]),
  ...fieldsInTemplate(template),
]

const subscriptionsNaming = ({ sql }: Reader, structurePk: number, key: string): string[] =>
  sql
    .all<SubscriptionColumns>(
      'SELECT id, filter, fields, due, template FROM webhooks WHERE structure = ? ORDER BY pk',
      structurePk,
    )
    .filter((row) => fieldsNamedBy(row).includes(key))
    .map(({ id }) => `"webhook ${id}"`)

/** The sources of a structure that write or compare a field. */
const sourcesNaming = ({ sql }: Reader, structurePk: number, key: string): string[] =>
  sql
    .all<{ name: string; map: string; newerBy: string | null }>(
      'SELECT name, map, newer_by AS newerBy FROM sources WHERE structure = ? ORDER BY pk',
      structurePk,
    )
    .filter(({ map, newerBy }) => newerBy === key || Object.hasOwn(JSON.parse(map), key))
    .map(({ name }) => `the source "${name}"`)

/** Descriptions of the subscriptions, sources and views that name a field of a structure, for the caller. */
export const usageOfField = (reader: Reader, structurePk: number, key: string, caller: Caller): string[] => [
  ...subscriptionsNaming(reader, structurePk, key),
  ...sourcesNaming(reader, structurePk, key),
  ...rollupsOver(reader, caller, structurePk, key),
  ...rowViewsNaming(reader, structurePk, key, { ...caller, rights: undefined }),
]
