import { navigate } from '../router.ts'
import { saveWhatWaits } from './pending.ts'
import { enterWorkspace, signOut } from './session.ts'

/** Goes to another workspace, to its notes. */
export async function goToWorkspace(id: string): Promise<void> {
  await saveWhatWaits()
  await enterWorkspace(id)
  navigate('/app')
}

/** Ends the session of this browser. */
export async function leave(): Promise<void> {
  await saveWhatWaits()
  await signOut()
}
