import { type Covers, checkCovered } from '../access/rights.ts'
import type { Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { currentRight, type Right } from '../db/writes/requester.ts'
import type { Rule } from './authorizer.ts'

/** What a request rests on and what it needs; it can be copied to another thread. */
export interface RightData {
  /** Null where it rests on a session. */
  readonly keyId: string | null
  readonly sessionId: string
  /** In which the request began. A session may have entered another one since. */
  readonly workspacePk: number
  readonly needsOwner: boolean
  needsWrite: boolean
  /** What of the workspace the endpoint is about, and whether its path names an object. */
  covers: Covers
  isNamed: boolean
}

/** What the caller of a request may do. */
export type Standing = Pick<Caller, 'scope' | 'role' | 'rights'>

export const standsForWriting = ({ scope, role }: Pick<Standing, 'scope' | 'role'>): boolean =>
  scope === 'write' && role !== 'viewer'

/** Throws the refusal that the request would get if it came now; by default as reads see the database. */
export type Recheck = (right: RightData, reader?: Reader) => Standing

/** What an endpoint asks of its caller, and whether its path names an object. */
interface Asked {
  readonly rule: Rule & { readonly covers: Covers }
  readonly isNamed: boolean
}

/**
 * The caller of one request, and its right. That is checked when the request arrives (`authorizer.ts`) and, because it may
 * end meanwhile, again once the body is there, in every transaction of a write, and before the response to a read leaves that
 * had to wait. Only the first check counts for limits. What the caller may do is what it might at the last check.
 */
export class RequestCaller implements Caller, Right {
  workspacePk: number
  readonly workspaceId: string
  readonly userId: string
  readonly keyId: string | null
  readonly keyName: string | null
  readonly sessionId: string | undefined
  scope: Caller['scope']
  role: Caller['role']
  mayWrite: boolean
  rights: Caller['rights']
  readonly surface: Caller['surface']
  readonly #request: Request
  readonly #recheck: Recheck
  readonly #data: RightData
  readonly #isWriteRoute: boolean
  /** Whether the request changes something, if only who may enter. What a read writes is the server's own: indexes. */
  #isWrite: boolean
  /** Whether what was asked for is written: then the response says so, whatever has ended since. */
  #isFulfilled = false

  constructor(caller: Caller, request: Request, { rule, isNamed }: Asked, recheck: Recheck) {
    this.workspacePk = caller.workspacePk
    this.workspaceId = caller.workspaceId
    this.userId = caller.userId
    this.keyId = caller.keyId
    this.keyName = caller.keyName
    this.sessionId = caller.sessionId
    this.scope = caller.scope
    this.role = caller.role
    this.mayWrite = caller.mayWrite
    this.rights = caller.rights
    this.surface = caller.surface
    this.#request = request
    this.#recheck = recheck
    const { keyId, sessionId = '', workspacePk } = caller
    const { owner: needsOwner = false, write: needsWrite = false, covers } = rule
    this.#data = { keyId, sessionId, workspacePk, needsOwner, needsWrite, covers, isNamed }
    this.#isWriteRoute = needsWrite || (rule.session === true && !isRead(request))
    this.#narrow()
    this.#isWrite = this.#isWriteRoute
  }

  /** Read only where something waits for long: Bun makes the signal when it is first read. */
  get signal(): AbortSignal {
    return this.#request.signal
  }

  get data(): RightData | undefined {
    return this.#isWrite ? this.#data : undefined
  }

  checkInWrite(reader: Reader): void {
    if (this.#isWrite) this.check(reader)
  }

  check(reader?: Reader): void {
    const { scope, role, rights } = this.#recheck(this.#data, reader)
    this.scope = scope
    this.role = role
    this.mayWrite &&= standsForWriting({ scope, role })
    this.rights = rights
    this.#narrow()
  }

  #narrow(): void {
    this.workspacePk = workspaceOf(this.#data, this.rights)
  }

  /** Checks it when the handler is done, but for one that has written what was asked for. */
  checkAfter(hasSucceeded: boolean): void {
    if (hasSucceeded && this.#isWriteRoute) this.#isFulfilled = true
    if (!this.#isFulfilled) this.check()
  }

  /** Runs a part of a request that is a write although its route is none. */
  async asWrite<Result>(
    asked: Pick<RightData, 'covers' | 'isNamed'>,
    run: () => Result | Promise<Result>,
  ): Promise<Result> {
    const { covers, isNamed } = this.#data
    this.#isWrite = true
    Object.assign(this.#data, { needsWrite: true, covers: asked.covers, isNamed: asked.isNamed })
    try {
      const result = await run()
      this.#isFulfilled = true
      return result
    } finally {
      this.#isWrite = this.#isWriteRoute
      Object.assign(this.#data, { needsWrite: false, covers, isNamed })
    }
  }
}

/** The workspace in which a request looks for what its endpoint covers. */
export const workspaceOf = (
  { workspacePk, needsWrite: isWrite, covers, isNamed }: RightData,
  rights: Caller['rights'],
): number => checkCovered(rights, workspacePk, { covers, isWrite, isNamed })

export const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** Runs what writes in a request whose route does not say so, as the call of a tool. */
export function asWrite<Result>(
  asked: Pick<RightData, 'covers' | 'isNamed'>,
  run: () => Result | Promise<Result>,
): Result | Promise<Result> {
  const right = currentRight()
  return right instanceof RequestCaller ? right.asWrite(asked, run) : run()
}
