import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** A field whose text goes to the address after a pause in typing; what is typed meanwhile is never taken back. */
export function useTypedSearch(shown: string, apply: (text: string) => void, pauseMs: number) {
  const ref = useRef<HTMLInputElement>(null)
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined)
  const hand = () => {
    if (waiting.current === undefined || !ref.current) return
    clearTimeout(waiting.current)
    waiting.current = undefined
    apply(ref.current.value.trim())
  }
  useLayoutEffect(() => {
    const field = ref.current
    if (field && waiting.current === undefined && field.value.trim() !== shown) field.value = shown
  }, [shown])
  useEffect(() => () => clearTimeout(waiting.current), [])
  const onInput = () => {
    clearTimeout(waiting.current)
    waiting.current = setTimeout(hand, pauseMs)
  }
  return { ref, onInput, onBlur: hand }
}
