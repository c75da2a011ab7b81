import { render } from 'preact'
import { Button, useAction, Why } from '../../components/form.tsx'
import { Modal } from '../../components/modal.tsx'
import { session } from '../../data/session.ts'
import { addPasskey, hasPasskeys, listPasskeys } from '../../data/ways-in.ts'
import { browserName } from '../settings/browser-name.ts'

/** Where the browser keeps that somebody was asked. */
const keyOf = (user: string) => `daybook-passkey-offered ${user}`

/** Whether the person has no passkey and was not asked in this browser before; from now on they were. */
async function isDue(): Promise<boolean> {
  const user = session.peek()?.user.id ?? ''
  if (!hasPasskeys() || localStorage.getItem(keyOf(user)) !== null) return false
  const { passkeys } = await listPasskeys()
  localStorage.setItem(keyOf(user), 'yes')
  return passkeys.length === 0
}

/** Offers a passkey to who has signed in with a password: once. It is a dialog beside the screen that opens by then. */
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
        A passkey stays on your device or in your password manager and opens with your finger, your face or a
        PIN. You find it under Settings, Sign-in; you are not asked again.
      </p>
      {refusal.value !== undefined && <Why>{refusal.value}</Why>}
      <p class="actions">
        <Button
          kind="main"
          disabled={isRunning.value}
          onClick={async () => {
            if (await run()) close()
          }}
        >
          Add a passkey
        </Button>
        <Button onClick={close}>Not now</Button>
      </p>
    </Modal>
  )
}
