import { useEffect, useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { signIn } from '../../data/session.ts'
import {
  goToProvider,
  hasPasskeys,
  offerPasskeys,
  providerName,
  REASONS,
  signInWithPasskey,
} from '../../data/ways-in.ts'
import { search, setParameters } from '../../router.ts'

/** What the button of the provider says; undefined without one, and until it is known. */
export function useProviderName(): string | undefined {
  const [name, setName] = useState<string | null>(null)
  useEffect(() => {
    providerName().then(setName, () => undefined)
  }, [])
  return name ?? undefined
}

/** Why the provider has just let nobody in, if it has. */
export function ProviderRefusal() {
  const reason = search.value.get('sign-in')
  return reason === null ? null : <ErrorText>{REASONS[reason] ?? REASONS.failed}</ErrorText>
}

/** Forgets why the provider let nobody in. */
export const clearProviderRefusal = () => setParameters({ 'sign-in': undefined }, { replace: true })

/** The ways to sign in without a password: a passkey, also where the name is typed, and the provider. */
export function OtherWays({ onDone }: { onDone?: () => void }) {
  const provider = useProviderName()
  const [isOffering, setOffering] = useState(true)
  const passkey = useAction(async (chosen?: object) => {
    setOffering(false)
    try {
      await (chosen ? signIn({ passkey: chosen }) : signInWithPasskey())
      onDone?.()
    } finally {
      setOffering(true)
    }
  })
  useEffect(() => (isOffering ? offerPasskeys(passkey.run) : undefined), [isOffering])
  if (!hasPasskeys() && provider === undefined) return null
  return (
    <div class="ways">
      {hasPasskeys() && (
        <Button kind="main" disabled={passkey.isRunning.value} onClick={() => void passkey.run()}>
          Use a passkey
        </Button>
      )}
      {provider !== undefined && (
        <Button
          onClick={() => {
            clearProviderRefusal()
            goToProvider(location.pathname + location.search)
          }}
        >
          {provider}
        </Button>
      )}
      {passkey.refusal.value !== undefined && <ErrorText>{passkey.refusal.value}</ErrorText>}
      <p>or with a password</p>
    </div>
  )
}
