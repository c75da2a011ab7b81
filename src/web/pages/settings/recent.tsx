import { useSignal } from '@preact/signals'
import { useAction } from '../../components/form.tsx'
import { isSignInNeeded } from '../../data/ways-in.ts'
import { SignInDialog } from '../sign-in/sign-in.tsx'

/** An action that may need a sign-in of the last minutes: it is asked for then, and the action runs again. */
export function useRecent<Arguments extends unknown[]>(act: (...given: Arguments) => Promise<unknown>) {
  const again = useSignal<(() => void) | undefined>(undefined)
  const action = useAction(async (...given: Arguments) => {
    try {
      await act(...given)
    } catch (error) {
      if (!isSignInNeeded(error)) throw error
      ask(...given)
    }
  })
  const ask = (...given: Arguments) => {
    again.value = () => void action.run(...given)
  }
  const close = () => {
    again.value = undefined
  }
  const dialog = again.value && (
    <SignInDialog
      title="Is it you?"
      onClose={close}
      onDone={() => {
        const run = again.value
        close()
        run?.()
      }}
    >
      You signed in more than 10 minutes ago. Sign in again to change how you do it.
    </SignInDialog>
  )
  return { ...action, ask, dialog }
}
