import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** A search field that applies its text after a pause in typing or on blur. Pending input is never overwritten. */
export function useDebouncedSearch(shown: string, apply: (text: string) => void, pauseMs: number) {
  const ref = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const flush = () => {
    if (timer.current === undefined || !ref.current) return
    clearTimeout(timer.current)
    timer.current = undefined
    apply(ref.current.value.trim())
  }
  useLayoutEffect(() => {
    const field = ref.current
    if (field && timer.current === undefined && field.value.trim() !== shown) field.value = shown
  }, [shown])
  useEffect(() => () => clearTimeout(timer.current), [])
  const onInput = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(flush, pauseMs)
  }
  return { ref, onInput, onBlur: flush }
}
