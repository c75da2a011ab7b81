import { useLayoutEffect } from 'preact/hooks'

/**
 * Handles the keys of the window while a component is shown, with the handler of its first rendering. A layout effect,
 * so that keys pressed before the first paint are not lost.
 */
export function useHotkeys(onKey: (event: KeyboardEvent) => void): void {
  useLayoutEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
