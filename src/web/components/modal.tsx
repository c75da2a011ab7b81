import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { restoreFocus } from './focus.ts'
import { useId } from './use-id.ts'

interface ModalProps {
  readonly title: string
  /** Called when the user dismisses the dialog. Without it the dialog cannot be dismissed. */
  readonly onClose?: () => void
  /** The ID of a text that is read with the title, for dialogs that ask a question. */
  readonly describedBy?: string
  readonly children: ComponentChildren
}

/** A modal dialog, open while it is mounted. */
export function Modal({ title, onClose, describedBy, children }: ModalProps) {
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
      role={describedBy === undefined ? undefined : 'alertdialog'}
      aria-labelledby={id}
      aria-describedby={describedBy}
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
