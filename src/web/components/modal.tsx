import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { keepFocus } from './focus.ts'
import { Button, Field, useAction, Why } from './form.tsx'

interface ModalProps {
  readonly title: string
  /** Called when the person gives up; without it the dialog stays until it is taken away. */
  readonly onClose?: () => void
  readonly children: ComponentChildren
}

/** A dialog over the page, which stays as it is behind it. */
export function Modal({ title, onClose, children }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before anything is painted: what is typed at once goes into the dialog.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => {
      dialog?.close()
      keepFocus()
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
  /** What has to be typed. */
  readonly word: string
  /** The word on the button, such as "Delete". */
  readonly action: string
  readonly act: () => Promise<unknown>
  readonly onClose: () => void
  /** What ends with it. */
  readonly children: ComponentChildren
}

/** Asks for what cannot be undone; it is confirmed by typing a name. */
export function TypedConfirmation({ title, word, action, act, onClose, children }: TypedConfirmationProps) {
  const [typed, setTyped] = useState('')
  const { run, isRunning, refusal } = useAction(async () => {
    if (typed.trim() !== word.trim()) throw new Error(`Type “${word}” exactly as it is written here.`)
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
        {refusal.value !== undefined && <Why>{refusal.value}</Why>}
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
