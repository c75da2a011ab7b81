import { useRef } from 'preact/hooks'

/** Does something once for each time it is asked for, one after the other; else what is asked for meanwhile would be lost. */
export function useInTurn<Arguments extends unknown[]>(run: (...given: Arguments) => Promise<boolean>) {
  const last = useRef<Promise<unknown>>(Promise.resolve())
  return (...given: Arguments): Promise<boolean> => {
    const done = last.current.then(() => run(...given))
    last.current = done
    return done
  }
}
