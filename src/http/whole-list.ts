import type { AppContext, Caller, InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { QueryPlan, WorkerQuery } from '../db/worker/client.ts'
import { encoded, type JsonBody, jsonResponse } from './responses.ts'

/** The list of all objects of one kind, which has no pages. */
interface WholeList<Input> {
  /** Of the query. */
  readonly name: string
  /** The member of the response that holds the objects. */
  readonly member: string
  /** What listing costs, as in `QueryPlan`; cheap to find. */
  cost(reader: Reader, input: Input): number
  /** The objects as they are presented. */
  list(reader: Reader, input: Input): readonly object[]
}

export type WholeListQuery<Input extends InWorkspace> = WorkerQuery<
  Input,
  QueryPlan & { readonly input: Input },
  JsonBody
>

/** A list without pages as a query, which runs in a worker thread where the list is long. */
export const wholeListQuery = <Input extends InWorkspace = InWorkspace>({
  name,
  member,
  cost,
  list,
}: WholeList<Input>): WholeListQuery<Input> => ({
  name,
  plan: (reader, input) => ({ input, cost: cost(reader, input) }),
  run: (reader, { input }) => encoded(JSON.stringify({ [member]: list(reader, input) })),
})

/** Responds with a whole list of the caller's workspace. */
export async function respondWhole<Input extends InWorkspace>(
  { worker }: Pick<AppContext, 'worker'>,
  caller: Caller,
  query: WholeListQuery<Input>,
  more: Omit<Input, keyof InWorkspace>,
): Promise<Response> {
  const input = { ...more, workspacePk: caller.workspacePk } as Input
  return jsonResponse(await worker.run(query, input, caller))
}

/** A list that costs more is long: nothing is added up beyond. */
const LONG = 10_000

/** How many rows there are, up to as many as make a list long if each costs this much. */
export const countUpTo = ({ sql }: Reader, rows: string, costPerRow: number, ...values: number[]): number =>
  sql.scalar(
    `SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${Math.ceil(LONG / costPerRow) + 1})`,
    ...values,
  )

interface RowCosts {
  /** What a row costs beside its long texts. */
  readonly perRow: number
  /** Columns of long texts. */
  readonly texts?: readonly string[]
  /** How much of them takes as long as scanning a row. */
  readonly bytesPerRow?: number
}

/** What listing the rows of a workspace costs. */
export function costOfRows(
  { sql }: Reader,
  table: string,
  workspace: number,
  { perRow, texts = [], bytesPerRow = 50 }: RowCosts,
): number {
  const length = ['0', ...texts.map((column) => `coalesce(octet_length(${column}), 0)`)].join(' + ')
  const [[count, bytes] = [0, 0]] = sql.rows<[count: number, bytes: number]>(
    `SELECT count(*), total(length) FROM
       (SELECT ${length} AS length FROM ${table} WHERE workspace = ? LIMIT ${Math.ceil(LONG / perRow) + 1})`,
    workspace,
  )
  return count * perRow + bytes / bytesPerRow
}
