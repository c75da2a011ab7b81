import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { restoreFocus } from './focus.ts'
import { Button, ErrorText, Field, useAction } from './form.tsx'

interface ModalProps {
  readonly title: string
  /** Called when the user dismisses the dialog. Without it the dialog cannot be dismissed. */
  readonly onClose?: () => void
  readonly children: ComponentChildren
}

/** A modal dialog, open while it is mounted. */
export function Modal({ title, onClose, children }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // A layout effect, so that keys pressed before the first paint reach the dialog.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => {
      dialog?.close()
      restoreFocus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class="dialog modal"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onClose={({ currentTarget }) => {
        if (!currentTarget.isConnected) return
        if (onClose) onClose()
        else currentTarget.showModal()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

interface TypedConfirmationProps {
  readonly title: string
  /** The text to type. */
  readonly word: string
  /** Label of the button, such as "Delete". */
  readonly action: string
  readonly act: () => Promise<unknown>
  readonly onClose: () => void
  /** The consequences. */
  readonly children: ComponentChildren
}

/** Confirms an action that cannot be undone by asking the user to type a name. */
export function TypedConfirmation({ title, word, action, act, onClose, children }: TypedConfirmationProps) {
  const [typed, setTyped] = useState('')
  const { run, isRunning, refusal } = useAction(async () => {
    if (typed.trim() !== word.trim()) throw new Error(`Type “${word}” exactly as shown.`)
    await act()
  })
  return (
    <Modal title={title} onClose={onClose}>
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          if (await run()) onClose()
        }}
      >
        <p>{children}</p>
        <Field
          name="confirmation"
          label={`Type “${word}” to confirm`}
          autocomplete="off"
          autofocus
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
        <p class="actions">
          <Button kind="danger" type="submit" disabled={isRunning.value}>
            {action}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </form>
    </Modal>
  )
}
