import type { Caller } from '../context.ts'

/** A caller whose changes come from an agent. */
export function agentCaller(caller: Caller, signal: () => AbortSignal | undefined): Caller {
  const { workspacePk, workspaceId, userId, keyId, keyName, scope, role, mayWrite } = caller
  return {
    workspacePk,
    workspaceId,
    userId,
    keyId,
    keyName,
    scope,
    role,
    mayWrite,
    surface: 'mcp',
    get signal() {
      return signal()
    },
  }
}
