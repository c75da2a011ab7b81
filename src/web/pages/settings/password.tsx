import { useRef, useState } from 'preact/hooks'
import { Button, Field, useAction } from '../../components/form.tsx'
import { session } from '../../data/session.ts'
import { changePassword } from '../../data/settings.ts'

/** Changes the password, or sets the first one. */
export function Password({ hasOne }: { hasOne: boolean }) {
  const [isChanged, setChanged] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const { run, isRunning, refusal } = useAction(async (data: FormData) => {
    setChanged(false)
    await changePassword(hasOne ? String(data.get('current')) : undefined, String(data.get('password')))
    setChanged(true)
    form.current?.reset()
  })
  const isOfNew = refusal.value?.startsWith('A password must') ?? false
  return (
    <details class="more">
      <summary class="button">{hasOne ? 'Change password…' : 'Set a password…'}</summary>
      <form
        class="stack"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          void run(new FormData(event.currentTarget))
        }}
      >
        <input
          class="visually-hidden"
          name="user"
          aria-label="Name"
          autocomplete="username"
          tabIndex={-1}
          readOnly
          value={session.value?.user.name ?? ''}
        />
        {hasOne && (
          <Field
            label="Current password"
            name="current"
            type="password"
            autocomplete="current-password"
            required
            why={isOfNew ? undefined : refusal.value}
          />
        )}
        <Field
          label="New password, 10 characters or more"
          name="password"
          type="password"
          autocomplete="new-password"
          minLength={10}
          maxLength={200}
          required
          why={isOfNew || !hasOne ? refusal.value : undefined}
        />
        <p class="actions">
          <Button kind="main" type="submit" disabled={isRunning.value}>
            {hasOne ? 'Change password' : 'Set password'}
          </Button>
          <small>ends every other session; API keys stay valid</small>
        </p>
      </form>
      <p role="status">
        {isChanged && <span class="status ok">The password is changed; every other session has ended.</span>}
      </p>
    </details>
  )
}
