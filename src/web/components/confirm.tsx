import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { path } from '../router.ts'
import { ask } from './ask.tsx'
import { Button, ErrorText, Field, useAction } from './form.tsx'
import { Modal } from './modal.tsx'
import { useId } from './use-id.ts'

interface Confirmation {
  /** Names the action and its object: "Delete Orders". */
  readonly title: string
  /** The loss, as sentences. */
  readonly consequence: ComponentChildren
  /** How to revert the action, as a sentence. Without it, the dialog says that the action cannot be undone. */
  readonly undo?: string
  /** The label of the button, which names the action: "Delete table". */
  readonly action: string
  readonly cancel?: string
  /** A name to type before the action runs. */
  readonly word?: string
  /** Runs before the dialog closes; the dialog shows why it fails. */
  readonly act?: () => Promise<unknown>
}

/** Asks before an action that loses something, and runs it. Returns whether it ran. */
export const confirm = (confirmation: Confirmation): Promise<boolean> =>
  ask((answer) => <Dialog {...confirmation} onAnswer={answer} />)

const FINAL = 'This cannot be undone.'

interface DialogProps extends Confirmation {
  readonly onAnswer: (isDone: boolean) => void
}

function Dialog({
  title,
  consequence,
  undo = FINAL,
  action,
  cancel = 'Cancel',
  word,
  act,
  onAnswer,
}: DialogProps) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const { run, isRunning, refusal } = useAction(async () => {
    if (word !== undefined && typed.trim() !== word.trim())
      throw new Error(`Type “${word}” exactly as shown.`)
    await act?.()
  })
  // The object of the question is gone from the screen.
  useLayoutEffect(() => {
    const opened = path.peek()
    return path.subscribe((current) => {
      if (current !== opened && !isRunning.peek()) onAnswer(false)
    })
  }, [])
  return (
    <Modal title={title} describedBy={id} onClose={() => onAnswer(false)}>
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          if (await run()) onAnswer(true)
        }}
      >
        <p id={id}>
          {consequence} {undo}
        </p>
        {word !== undefined && (
          <Field
            name="confirmation"
            label={`Type “${word}” to confirm`}
            autocomplete="off"
            autofocus
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
        <p class="actions">
          <Button kind="danger" type="submit" disabled={isRunning.value}>
            {action}
          </Button>
          {/* Focused, so that Enter alone loses nothing. */}
          <Button autofocus={word === undefined} onClick={() => onAnswer(false)}>
            {cancel}
          </Button>
        </p>
      </form>
    </Modal>
  )
}
