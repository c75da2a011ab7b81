import type { JsonBody } from '../http/responses.ts'
import { recordJson } from '../records/present.ts'
import type { RecordPage } from '../records/query/list.ts'

/** A response body of the API, as its object. */
export const parsedBody = <Body>(body: JsonBody): Body =>
  JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Body

/** More text than this need not be parsed to fill an answer. */
const ENOUGH_TEXT = 1_000_000

/** The rows of a page as objects; of very long ones only the first, but at least one. */
export function parsedRows<Row>({ rows, total }: RecordPage): { records: Row[]; total: number } {
  const records: Row[] = []
  let length = 0
  for (const row of rows) {
    length += row.data.length
    if (length > ENOUGH_TEXT && records.length > 0) break
    records.push(parsedBody<Row>(recordJson(row)))
  }
  return { records, total }
}
