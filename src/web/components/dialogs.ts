import { effect, type Signal, signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Whether the finder is open; who sets it opens or closes it. */
export const isFinderOpen = signal(false)

/** Whether the dialog with all keys is open; who sets it opens or closes it. */
export const areKeysOpen = signal(false)

export const openFinder = (): void => {
  isFinderOpen.value = true
}

export const openKeys = (): void => {
  areKeysOpen.value = true
}

/** A dialog that is open while the signal says so; its `onClose` tells the signal that the person has closed it. */
export function useDialog(isOpen: Signal<boolean>) {
  const dialog = useRef<HTMLDialogElement>(null)
  // Before anything is painted: a key that is pressed at once is not lost.
  useLayoutEffect(() => {
    const stop = effect(() => {
      if (isOpen.value) dialog.current?.showModal()
      else dialog.current?.close()
    })
    return () => {
      stop()
      isOpen.value = false
    }
  }, [isOpen])
  return dialog
}
