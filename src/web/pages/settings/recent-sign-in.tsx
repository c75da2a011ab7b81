import { useSignal } from '@preact/signals'
import { useAction } from '../../components/form.tsx'
import { isSignInNeeded } from '../../data/sign-in-options.ts'
import { SignInDialog } from '../sign-in/sign-in.tsx'

/** An action that may require a recent sign-in: the user signs in again, then the action runs again. */
export function useRecentSignIn<Arguments extends unknown[]>(act: (...args: Arguments) => Promise<unknown>) {
  const retry = useSignal<(() => void) | undefined>(undefined)
  const action = useAction(async (...args: Arguments) => {
    try {
      await act(...args)
    } catch (error) {
      if (!isSignInNeeded(error)) throw error
      ask(...args)
    }
  })
  const ask = (...args: Arguments) => {
    retry.value = () => void action.run(...args)
  }
  const close = () => {
    retry.value = undefined
  }
  const dialog = retry.value && (
    <SignInDialog
      title="Confirm it’s you"
      onClose={close}
      onDone={() => {
        const run = retry.value
        close()
        run?.()
      }}
    >
      Your last sign-in was more than 10 minutes ago. Sign in again to continue.
    </SignInDialog>
  )
  return { ...action, ask, dialog }
}
