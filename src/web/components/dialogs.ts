import { effect, type Signal, signal } from '@preact/signals'
import type { TargetedEvent } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Setting this opens or closes the finder. */
export const isFinderOpen = signal(false)

/** Setting this opens or closes the dialog of keyboard shortcuts. */
export const areKeysOpen = signal(false)

export const openFinder = (): void => {
  isFinderOpen.value = true
}

export const openKeys = (): void => {
  areKeysOpen.value = true
}

/** Binds a dialog to a signal: it is open while the signal is true, and closing it sets the signal to false. */
export function useDialog(isOpen: Signal<boolean>) {
  const ref = useRef<HTMLDialogElement>(null)
  // A layout effect, so that keys pressed before the first paint reach the dialog.
  useLayoutEffect(() => {
    const stop = effect(() => {
      if (isOpen.value) ref.current?.showModal()
      else ref.current?.close()
    })
    return () => {
      stop()
      isOpen.value = false
    }
  }, [isOpen])
  const onClose = ({ currentTarget }: TargetedEvent<HTMLDialogElement>) => {
    // The close event is asynchronous; the dialog may be open again.
    if (!currentTarget.open) isOpen.value = false
  }
  return { ref, onClose }
}
