import { useRef, useState } from 'preact/hooks'
import { Button, ErrorText, Field, useAction } from '../../components/form.tsx'
import { session } from '../../data/session.ts'
import { changePassword, removePassword, useMembers } from '../../data/settings.ts'
import { useRecentSignIn } from './recent-sign-in.tsx'

function Password({ hasOne }: { hasOne: boolean }) {
  const [isChanged, setChanged] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const { run, isRunning, refusal, fault } = useAction(async (data: FormData) => {
    setChanged(false)
    await changePassword(hasOne ? String(data.get('current')) : undefined, String(data.get('password')))
    setChanged(true)
    form.current?.reset()
  })
  const isNewRefused = fault.value?.path[0] === 'password'
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
            error={isNewRefused ? undefined : refusal.value}
          />
        )}
        <Field
          label="New password (10 characters or more)"
          name="password"
          type="password"
          autocomplete="new-password"
          minLength={10}
          maxLength={200}
          required
          error={isNewRefused || !hasOne ? refusal.value : undefined}
        />
        <p class="actions">
          <Button kind="main" type="submit" disabled={isRunning.value}>
            {hasOne ? 'Change password' : 'Set password'}
          </Button>
          <small>All other sessions end. API keys stay valid.</small>
        </p>
      </form>
      <p role="status">
        {isChanged && <span class="status ok">Password changed. All other sessions have ended.</span>}
      </p>
    </details>
  )
}

/** The user's password. It can be removed if there is another way to sign in. */
export function OwnPassword() {
  const members = useMembers()
  const own = members.data?.find(({ user_id }) => user_id === session.value?.user.id)
  const remove = useRecentSignIn(removePassword)
  return (
    <>
      <Password hasOne={own?.has_password ?? true} />
      {own?.has_password && (own.has_passkey || own.oidc_linked) && (
        <p>
          <Button kind="quiet" disabled={remove.isRunning.value} onClick={() => void remove.run()}>
            Remove password
          </Button>
        </p>
      )}
      {remove.refusal.value !== undefined && <ErrorText>{remove.refusal.value}</ErrorText>}
      {remove.dialog}
    </>
  )
}
