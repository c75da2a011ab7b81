import { savePending } from '../data/pending.ts'
import { enterWorkspace, signOut } from '../data/session.ts'
import { navigate } from '../router.ts'

/** Opens the notes of another workspace. */
export async function goToWorkspace(id: string): Promise<void> {
  await savePending()
  await enterWorkspace(id)
  navigate('/app')
}

/** Signs out and deletes the data stored in this browser. Asks first if there are pending changes. */
export async function leave(): Promise<void> {
  await savePending()
  const { emptyAll, mayLeave } = await import('./leave.tsx')
  if (!(await mayLeave())) return
  await emptyAll()
  await signOut()
  // The next user does not start at the address of this one.
  navigate('/app', { replace: true })
}
