import { useState } from 'preact/hooks'
import { Button, ErrorText, Field, useAction } from '../../components/form.tsx'
import { Secret } from '../../components/secret.tsx'
import { endOfDay } from '../../data/local-time.ts'
import { createShare, type Share, type ShareKind } from '../../data/shares.ts'
import { FormFields, FormPreview, fieldOptions, type Question, questionsFor } from './form-fields.tsx'
import type { FormField } from './targets.ts'

interface NewShareProps {
  readonly kind: ShareKind
  readonly targetId: string
  /** The fields that a form can contain. */
  readonly fields?: readonly FormField[]
}

const textIn = (data: FormData, name: string): string => String(data.get(name) ?? '').trim()

/** The options of a form. */
function formOptions(data: FormData, questions: readonly Question[]): Record<string, unknown> {
  const [text, done] = [textIn(data, 'text'), textIn(data, 'done')]
  const fields = fieldOptions(questions)
  return {
    ...(text !== '' && { text }),
    ...(done !== '' && { done_text: done }),
    ...(fields.length > 0 && { fields }),
  }
}

/** Creates a share link to one target, which opens without an account. */
export function NewShare({ kind, targetId, fields = [] }: NewShareProps) {
  const [share, setShare] = useState<Share>()
  const [questions, setQuestions] = useState<readonly Question[]>(() => questionsFor(fields))
  const [introduction, setIntroduction] = useState('')
  const { run, isRunning, refusal } = useAction(async (data: FormData) => {
    // Without a list, a form has all fields.
    if (kind === 'form' && !questions.some(({ isAsked }) => isAsked))
      throw new Error('Select at least one field for the form.')
    const [name, password, expires] = [
      textIn(data, 'name'),
      textIn(data, 'password'),
      textIn(data, 'expires'),
    ]
    const share = await createShare({
      kind,
      target_id: targetId,
      ...(name !== '' && { name }),
      ...(password !== '' && { password }),
      ...(expires !== '' && { expires_at: endOfDay(expires) }),
      ...(kind === 'form' && { options: formOptions(data, questions) }),
      ...(kind === 'row_view' && data.has('csv') && { options: { csv: true } }),
    })
    setShare(share)
  })
  if (share?.url)
    return (
      <Secret title="Anyone with the link can open it until you turn it off." label="Link" text={share.url} />
    )
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void run(new FormData(event.currentTarget))
      }}
    >
      <Field label="Name (optional, only for you)" name="name" maxLength={200} autocomplete="off" />
      {kind === 'form' ? (
        <>
          <Field
            label="Introduction (optional)"
            name="text"
            autocomplete="off"
            value={introduction}
            onInput={({ currentTarget }) => setIntroduction(currentTarget.value)}
          />
          <FormFields questions={questions} onChange={setQuestions} />
          <FormPreview questions={questions} introduction={introduction} />
          <Field label="Message after submitting (optional)" name="done" autocomplete="off" />
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
          <input type="checkbox" name="csv" /> Allow CSV download
        </label>
      )}
      <Field label="Expires (optional)" name="expires" type="date" />
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
      <p class="actions">
        <Button kind="main" type="submit" disabled={isRunning.value}>
          Create link
        </Button>
      </p>
    </form>
  )
}
