import { navigate } from '../router.ts'
import { savePending } from './pending.ts'
import { enterWorkspace, signOut } from './session.ts'

/** Opens the notes of another workspace. */
export async function goToWorkspace(id: string): Promise<void> {
  await savePending()
  await enterWorkspace(id)
  navigate('/app')
}

/** Signs out and deletes the data stored in this browser. Asks first if there are pending changes. */
export async function leave(): Promise<void> {
  await savePending()
  const { emptyAll, mayLeave } = await import('../offline/leave.tsx')
  if (!(await mayLeave())) return
  await emptyAll()
  await signOut()
  // The next user does not start at the address of this one.
  navigate('/app', { replace: true })
}
