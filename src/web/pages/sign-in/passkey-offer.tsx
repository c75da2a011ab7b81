import { render } from 'preact'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Modal } from '../../components/modal.tsx'
import { session } from '../../data/session.ts'
import { addPasskey, hasPasskeys, listPasskeys } from '../../data/ways-in.ts'
import { ASKED } from '../../offline/storage.ts'
import { browserName } from '../settings/browser-name.ts'

/** Where the browser keeps that somebody was asked: whoever else reads it cannot tell who that was. */
async function keyOf(user: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`passkey ${user}`))
  return `${ASKED}${new Uint8Array(digest).toHex()}`
}

/** Whether the person has no passkey and was not asked in this browser before; from now on they were. */
async function isDue(): Promise<boolean> {
  if (!hasPasskeys()) return false
  const key = await keyOf(session.peek()?.user.id ?? '')
  if (localStorage.getItem(key) !== null) return false
  const { passkeys } = await listPasskeys()
  localStorage.setItem(key, 'yes')
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
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
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
