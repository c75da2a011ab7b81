import { render } from 'preact'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Modal } from '../../components/modal.tsx'
import { session } from '../../data/session.ts'
import { addPasskey, hasPasskeys, listPasskeys } from '../../data/sign-in-options.ts'
import { PASSKEY_OFFERED } from '../../offline/storage.ts'
import { browserName } from '../settings/browser-name.ts'

/** The storage key of a user's answer, hashed so that other users of the browser cannot read the user ID. */
async function keyOf(user: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`passkey ${user}`))
  return `${PASSKEY_OFFERED}${new Uint8Array(digest).toHex()}`
}

/** Whether to offer a passkey: the user has none and was not asked in this browser yet. Records the offer. */
async function isDue(): Promise<boolean> {
  if (!hasPasskeys()) return false
  const key = await keyOf(session.peek()?.user.id ?? '')
  if (localStorage.getItem(key) !== null) return false
  const { passkeys } = await listPasskeys()
  localStorage.setItem(key, 'yes')
  return passkeys.length === 0
}

/** Offers a passkey once after a sign-in with a password. Rendered apart from the page, which changes to a screen meanwhile. */
export async function offerPasskey(): Promise<void> {
  if (!(await isDue().catch(() => false))) return
  const root = document.body.appendChild(document.createElement('div'))
  const close = () => {
    render(null, root)
    root.remove()
  }
  render(<Offer close={close} />, root)
}

function Offer({ close }: { close: () => void }) {
  const { run, isRunning, refusal } = useAction(() => addPasskey(browserName(navigator.userAgent)))
  return (
    <Modal title="Sign in without a password next time?" onClose={close}>
      <p>
        Sign in with your fingerprint, face or PIN. The passkey stays on your device or in your password
        manager. You can also add one later under Settings, Sign-in.
      </p>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      <p class="actions">
        <Button
          kind="main"
          disabled={isRunning.value}
          onClick={async () => {
            if (await run()) close()
          }}
        >
          Add passkey
        </Button>
        <Button onClick={close}>Not now</Button>
      </p>
    </Modal>
  )
}
