import { fold } from '../../src/lib/text.ts'
import { ensureOwnTable } from '../../src/records/structures/storage/live-rows.ts'
import { shareTable } from '../../src/records/structures/storage/upgrade.ts'
import { definitionOf, findStructureByName } from '../../src/records/structures/store.ts'
import type { Answer, Client, TestService } from './service.ts'

export type FieldSpec = Record<string, unknown> & { key: string; type: string }

/** Declares a structure and returns it. */
export async function declare(
  client: Client,
  name: string,
  fields: FieldSpec[],
  more: Record<string, unknown> = {},
) {
  const answer = await client.post('/v1/records/structures', { name, fields, ...more })
  if (answer.status !== 201) throw new Error(answer.body.error)
  return answer.body.structure
}

/** Moves a small structure of the first workspace into its own table, as larger structures have. */
export const giveTable = ({ ctx }: TestService, name: string): Promise<void> =>
  ctx.db.write((tx): void => {
    const structure = findStructureByName(tx, 1, fold(name))
    if (structure) ensureOwnTable(tx, structure.pk, definitionOf(structure))
  })

/** Whether a structure of the first workspace has a table of its own. */
export const hasOwnTable = ({ ctx }: TestService, name: string): boolean =>
  (findStructureByName(ctx.db, 1, fold(name))?.ownTable ?? 0) > 0

/** Moves the rows of such a structure back into the shared table of small structures, and drops its indexes. */
export const takeTable = ({ ctx }: TestService, name: string): Promise<void> =>
  ctx.db.write((tx): void => {
    const structure = findStructureByName(tx, 1, fold(name))
    if (structure && structure.ownTable > 0) shareTable(tx, structure.pk, definitionOf(structure))
  })

/** Writes rows and returns their records. */
export async function write(client: Client, structure: string, ...rows: Record<string, unknown>[]) {
  const answer = await client.post('/v1/records', { structure, rows: rows.map((data) => ({ data })) })
  if (answer.status !== 201) throw new Error(answer.body.error)
  return answer.body.records
}

/** Returns a query string; values other than texts are sent as JSON. */
export const queryOf = (parameters: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(parameters)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): [string, string] => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
  ).toString()

export const list = (
  client: Client,
  structure: string,
  more: Record<string, unknown> = {},
): Promise<Answer> => client.get(`/v1/records?${queryOf({ structure, ...more })}`)

export const summary = (
  client: Client,
  structure: string,
  more: Record<string, unknown> = {},
): Promise<Answer> => client.get(`/v1/records/summary?${queryOf({ structure, ...more })}`)

/** A field in the format of a definition. */
export const field = (key: string, type: string, more: Record<string, unknown> = {}) => ({
  key,
  type,
  ...more,
})

/** Everything visible of a structure's rows, which a refusal must leave unchanged. */
export async function contentOf(client: Client, structure: string) {
  const { body } = await list(client, structure, { limit: 500 })
  const declared = await client.get(`/v1/records/structures/${encodeURIComponent(structure)}`)
  return { records: body.records, total: body.total, structure: declared.body.structure }
}

/** The end of the change log, which a call that changes nothing must leave as it is. */
export const lastChange = async (client: Client): Promise<string> =>
  (await client.get('/v1/changes?after=now')).body.cursor
