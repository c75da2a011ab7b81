import { useEffect, useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { signIn } from '../../data/session.ts'
import {
  goToProvider,
  hasPasskeys,
  offerPasskeys,
  PROVIDER_ERRORS,
  providerName,
  signInWithPasskey,
} from '../../data/sign-in-options.ts'
import { search, setParameters } from '../../router.ts'

/** The label of the provider's button; undefined without a provider and while it loads. */
export function useProviderName(): string | undefined {
  const [name, setName] = useState<string | null>(null)
  useEffect(() => {
    providerName().then(setName, () => undefined)
  }, [])
  return name ?? undefined
}

/** Explains a failed sign-in at the provider. */
export function ProviderError() {
  const reason = search.value.get('sign-in')
  return reason === null ? null : <ErrorText>{PROVIDER_ERRORS[reason] ?? PROVIDER_ERRORS.failed}</ErrorText>
}

/** Hides the explanation of a failed sign-in at the provider. */
export const clearProviderError = () => setParameters({ 'sign-in': undefined }, { replace: true })

/** Sign-in options without a password: a passkey (also offered in the name field) and the provider. */
export function SignInOptions({ onDone }: { onDone?: () => void }) {
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
            clearProviderError()
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
