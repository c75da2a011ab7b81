import { navigate } from '../router.ts'
import { saveWhatWaits } from './pending.ts'
import { enterWorkspace, signOut } from './session.ts'

/** Goes to another workspace, to its notes. */
export async function goToWorkspace(id: string): Promise<void> {
  await saveWhatWaits()
  await enterWorkspace(id)
  navigate('/app')
}

/** Ends the session of this browser, which then keeps nothing; asks first where something waits to be sent. */
export async function leave(): Promise<void> {
  await saveWhatWaits()
  const { emptyAll, mayLeave } = await import('../offline/leave.tsx')
  if (!(await mayLeave())) return
  await emptyAll()
  await signOut()
  // Who signs in next does not begin at what was shown.
  navigate('/app', { replace: true })
}
