import type { Static, TSchema } from '@sinclair/typebox'
import { type AppContext, placeFor } from '../../context.ts'
import type { JsonBody } from '../../http/responses.ts'
import { createCheck, type SchemaCheck } from '../../http/validation.ts'
import type { Caller, Covers, Kind } from '../../kernel/caller.ts'
import { readOnly } from '../../kernel/caller.ts'
import { long, type Operation, read, type Snapshot, write } from '../../kernel/operation.ts'
import { checkStorable } from '../../lib/storable-json.ts'
import { refuseInCopy } from '../../log/mirror-guard.ts'
import { recordJson } from '../../records/rows/present.ts'
import { type ListRequest, listPage, type RecordPage } from '../../records/rows/query/list.ts'
import { parseRequest } from '../../records/rows/query/row-query.ts'
import { learnOfRows } from '../../records/rows/query/total-cache.ts'
import type { Tx } from '../../storage/writes/transaction.ts'

/** A note that an answer refers to, for clients that offer it to their user. */
interface NoteLink {
  readonly uri: string
  readonly name: string
}

export interface Answer {
  /** For the model: Markdown. */
  readonly text: string
  /** The same data for programs. */
  readonly data: object
  readonly links?: readonly NoteLink[]
}

export const noteUri = (id: string): string => `daybook://notes/${id}`

export const noteLink = ({ id, title }: { id: string; title: string }): NoteLink => ({
  uri: noteUri(id),
  name: title,
})

/** An agent that uses MCP on behalf of a caller. */
export interface Agent {
  readonly caller: Caller
  /** Runs an operation for the caller; `isNamed`: the call names an object. */
  call<Input, Output>(operation: Operation<Input, Output>, input: Input, isNamed?: boolean): Promise<Output>
}

interface Declaration<Input extends TSchema> {
  readonly name: string
  readonly description: string
  /** The kind of objects that the tool shows or changes, as for an endpoint. */
  readonly covers: Covers
  readonly input: Input
  readonly output: TSchema
}

interface ReadDeclaration<Input extends TSchema> extends Declaration<Input> {
  run(snapshot: Snapshot, caller: Caller, input: Static<Input>): Answer
  /** Waits until everything that `run` reads is indexed. */
  prepare?(ctx: AppContext, caller: Caller, input: Static<Input>): Promise<void>
}

interface WriteDeclaration<Input extends TSchema> extends Declaration<Input> {
  /** Whether the tool deletes anything. */
  readonly isDestructive?: boolean
  /** Whether the tool creates something and names no existing object. */
  readonly creates?: boolean
  run(tx: Tx, caller: Caller, input: Static<Input>): Answer
  /** Whether the call only validates a write. */
  isTrial?(input: Static<Input>): boolean
}

/** A tool is an operation with a description, and the schemas of its input and output. */
export interface Tool extends Declaration<TSchema> {
  readonly operation: Operation<unknown, Answer>
  readonly writes: boolean
  readonly isDestructive?: boolean
  readonly creates?: boolean
  readonly check: SchemaCheck
  prepare?(ctx: AppContext, caller: Caller, input: unknown): Promise<void>
}

const toolOf = (
  { name, description, covers, input, output }: Declaration<TSchema>,
  operation: Operation<never, Answer>,
) => ({
  name,
  description,
  covers,
  input,
  output,
  operation: operation as Operation<unknown, Answer>,
  writes: operation.kind === 'write',
  check: createCheck('body', input),
})

export function readTool<Input extends TSchema>(declaration: ReadDeclaration<Input>): Tool {
  const { name, covers, run, prepare } = declaration
  const operation = read<Static<Input>, Answer>({
    name: `mcp.${name}`,
    covers,
    run,
    learn: learnOfRows,
  })
  return { ...toolOf(declaration, operation), ...(prepare && { prepare: prepare as Tool['prepare'] }) }
}

export function writeTool<Input extends TSchema>(declaration: WriteDeclaration<Input>): Tool {
  const { name, covers, run, isTrial = () => false } = declaration
  const { isDestructive = false, creates = false } = declaration
  const operation = write<Static<Input>, Answer>({ name: `mcp.${name}`, covers, run, isTrial })
  return { ...toolOf(declaration, operation), isDestructive, creates }
}

/** The same for a tool whose operation is long. */
export function longWriteTool<Input extends TSchema>(declaration: WriteDeclaration<Input>): Tool {
  const tool = writeTool(declaration)
  return { ...tool, operation: long(tool.operation) }
}

/** Calls a tool under the rules of the API: checks the permission to write, then the schema of the input. */
export async function runTool(
  ctx: AppContext,
  { caller, call }: Agent,
  { operation, writes, creates = false, check, prepare }: Tool,
  input: unknown,
): Promise<Answer> {
  if (writes) refuseInCopy(ctx, true)
  if (writes && !caller.mayWrite) throw readOnly(caller)
  checkStorable(input, 'The call')
  check(input)
  await prepare?.(ctx, caller, input)
  return call(operation, input, !creates)
}

/** The caller as an operation that covers one kind would get it; for a tool that covers several kinds. */
export const callerFor = (caller: Caller, kind: Kind): Caller => ({
  ...caller,
  workspacePk: placeFor(caller, kind).workspacePk,
})

/** The object in a response body of the API. */
export const parsedBody = <Body>(body: JsonBody): Body =>
  JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Body

/** Text beyond this length, in characters, need not be parsed to fill an answer. */
const ENOUGH_TEXT = 1_000_000

/** One page of live rows. */
export const recordPage = (snapshot: Snapshot, caller: Caller, request: ListRequest): RecordPage =>
  listPage(snapshot, { caller, request: parseRequest(request) }).page

/** The rows of a page as objects; if they are very long, only the first ones, but at least one. */
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
