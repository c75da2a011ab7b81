import type { Caller } from '../context.ts'

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
