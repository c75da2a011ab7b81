import { type AppContext, type Caller, type InWorkspace, placeOf } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { WorkerQuery } from '../db/worker/client.ts'
import { encoded, type JsonBody, jsonResponse } from './responses.ts'

export type WholeListQuery<Input extends InWorkspace> = WorkerQuery<Input, JsonBody>

/**
 * The list of all objects of one kind, which has no pages, as a read. `member` is that of the response which holds the
 * objects, as `list` presents them.
 */
export const wholeListQuery = <Input extends InWorkspace = InWorkspace>(
  name: string,
  member: string,
  list: (reader: Reader, input: Input) => readonly object[],
): WholeListQuery<Input> => ({
  name,
  run: (reader, input) => encoded(JSON.stringify({ [member]: list(reader, input) })),
})

/** Responds with a whole list of the caller's workspace. */
export async function respondWhole<Input extends InWorkspace>(
  { worker }: Pick<AppContext, 'worker'>,
  caller: Caller,
  query: WholeListQuery<Input>,
  more: Omit<Input, keyof InWorkspace>,
): Promise<Response> {
  const input = { ...more, ...placeOf(caller) } as Input
  return jsonResponse(await worker.run(query, input, caller))
}
