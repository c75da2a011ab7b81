import { effect, type Signal, signal } from '@preact/signals'
import type { TargetedEvent } from 'preact'
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

/** What makes a dialog open while the signal says so, and tells the signal that the person has closed it. */
export function useDialog(isOpen: Signal<boolean>) {
  const ref = useRef<HTMLDialogElement>(null)
  // Before anything is painted: a key that is pressed at once is not lost.
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
    // It may have been opened again meanwhile.
    if (!currentTarget.open) isOpen.value = false
  }
  return { ref, onClose }
}
