import type { Static, TSchema } from '@sinclair/typebox'
import type { Covers } from '../access/rights.ts'
import { readOnlyCopy } from '../changes/mirror-guard.ts'
import { type AppContext, type Caller, callerOf, isReadOnlyCopy } from '../context.ts'
import { asWrite, readOnly } from '../http/authorizer.ts'
import type { JsonBody } from '../http/responses.ts'
import { checkStorable } from '../http/storable-json.ts'
import { createCheck, type FormCheck } from '../http/validation.ts'
import { recordJson } from '../records/present.ts'
import type { RecordPage } from '../records/query/list.ts'

/** A note that an answer is about, for clients that offer it to their user. */
interface NoteLink {
  readonly uri: string
  readonly name: string
}

export interface Answer {
  /** For the model: Markdown. */
  readonly text: string
  /** The same for programs. */
  readonly data: object
  readonly links?: readonly NoteLink[]
}

export const noteUri = (id: string): string => `daybook://notes/${id}`

export const noteLink = ({ id, title }: { id: string; title: string }): NoteLink => ({
  uri: noteUri(id),
  name: title,
})

interface ToolSpec<Input extends TSchema> {
  readonly name: string
  readonly description: string
  readonly writes: boolean
  /** What of the workspace it is about, as an endpoint says. */
  readonly covers: Covers
  /** Whether it takes something away. */
  readonly isDestructive?: boolean
  /** Whether it makes something and names nothing that exists. */
  readonly creates?: boolean
  readonly input: Input
  readonly output: TSchema
  readonly run: (ctx: AppContext, caller: Caller, input: Static<Input>) => Answer | Promise<Answer>
}

export interface Tool extends Omit<ToolSpec<TSchema>, 'run'> {
  readonly check: FormCheck
  readonly run: (ctx: AppContext, caller: Caller, input: unknown) => Answer | Promise<Answer>
}

export const tool = <Input extends TSchema>(spec: ToolSpec<Input>): Tool => ({
  ...spec,
  check: createCheck('body', spec.input),
  run: spec.run as Tool['run'],
})

/** Runs a tool under the rules of the API: first who may call it, then the form of what was sent. */
export async function runTool(
  ctx: AppContext,
  caller: Caller,
  { writes, covers, creates = false, check, run }: Tool,
  input: unknown,
) {
  if (writes && ctx.mirrorOf !== undefined && isReadOnlyCopy(ctx)) throw readOnlyCopy(ctx.mirrorOf)
  if (writes && !caller.mayWrite) throw readOnly(caller)
  checkStorable(input, 'The call')
  check(input)
  const asked = { covers, isWrite: writes, isNamed: !creates }
  const seen = callerOf(caller, asked)
  return writes ? asWrite(asked, () => run(ctx, seen, input)) : run(ctx, seen, input)
}

/** A caller whose changes come from an agent. */
export function agentCaller(caller: Caller, signal: () => AbortSignal | undefined): Caller {
  const { workspacePk, workspaceId, userId, keyId, keyName } = caller
  return {
    workspacePk,
    workspaceId,
    userId,
    keyId,
    keyName,
    // These may change while the call runs.
    get scope() {
      return caller.scope
    },
    get role() {
      return caller.role
    },
    get mayWrite() {
      return caller.mayWrite
    },
    get rights() {
      return caller.rights
    },
    surface: 'mcp',
    get signal() {
      return signal()
    },
  }
}

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
