import { useState } from 'preact/hooks'
import { Button, ErrorText, Field, useAction } from '../../components/form.tsx'
import { Secret } from '../../components/secret.tsx'
import { createShare, type Share, type ShareKind } from '../../data/shares.ts'
import type { FormField } from './targets.ts'

interface NewShareProps {
  readonly kind: ShareKind
  readonly targetId: string
  /** The fields that a form may ask. */
  readonly fields?: readonly FormField[]
}

const textIn = (data: FormData, name: string): string => String(data.get(name) ?? '').trim()

/** What was chosen of a form; a field that every row needs is always asked. */
function formOptions(data: FormData): Record<string, unknown> {
  const [text, done] = [textIn(data, 'text'), textIn(data, 'done')]
  const fields = data.getAll('field').map((key) => ({ key }))
  return {
    ...(text !== '' && { text }),
    ...(done !== '' && { done_text: done }),
    ...(fields.length > 0 && { fields }),
  }
}

/** Makes a link to one thing, which opens without an account. */
export function NewShare({ kind, targetId, fields }: NewShareProps) {
  const [made, setMade] = useState<Share>()
  const { run, isRunning, refusal } = useAction(async (data: FormData) => {
    const [name, password, ends] = [textIn(data, 'name'), textIn(data, 'password'), textIn(data, 'ends')]
    const share = await createShare({
      kind,
      target_id: targetId,
      ...(name !== '' && { name }),
      ...(password !== '' && { password }),
      // Until the end of the day, where the person is.
      ...(ends !== '' && { expires_at: new Date(`${ends}T23:59:59`).toISOString() }),
      ...(kind === 'form' && { options: formOptions(data) }),
      ...(kind === 'row_view' && data.has('csv') && { options: { csv: true } }),
    })
    setMade(share)
  })
  if (made?.url)
    return (
      <Secret
        title="Whoever has this link opens it without an account, until it is ended."
        label="Link"
        text={made.url}
      />
    )
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void run(new FormData(event.currentTarget))
      }}
    >
      <Field label="Name, for you (optional)" name="name" maxLength={200} autocomplete="off" />
      {kind === 'form' ? (
        <>
          <FormFields fields={fields ?? []} />
          <Field label="Text above the fields (optional)" name="text" autocomplete="off" />
          <Field label="What it says when it was sent (optional)" name="done" autocomplete="off" />
        </>
      ) : (
        <Field
          label="Password (optional)"
          name="password"
          type="password"
          maxLength={200}
          autocomplete="new-password"
        />
      )}
      {kind === 'row_view' && (
        <label class="check">
          <input type="checkbox" name="csv" /> Also as CSV
        </label>
      )}
      <Field label="Ends after (optional)" name="ends" type="date" />
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
      <p class="actions">
        <Button kind="main" type="submit" disabled={isRunning.value}>
          Make link
        </Button>
      </p>
    </form>
  )
}

const FormFields = ({ fields }: { fields: readonly FormField[] }) => (
  <fieldset class="field">
    <legend class="label">It asks</legend>
    {fields.map(({ key, label, required }) => (
      <label class="check" key={key}>
        <input type="checkbox" name="field" value={key} defaultChecked /> {label}
        {required && <small>every row needs it</small>}
      </label>
    ))}
  </fieldset>
)
