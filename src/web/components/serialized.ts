import { useRef } from 'preact/hooks'

/** Runs calls one after another, so that calls made while one is in flight are not lost. */
export function useSerialized<Arguments extends unknown[]>(run: (...args: Arguments) => Promise<boolean>) {
  const last = useRef<Promise<unknown>>(Promise.resolve())
  return (...args: Arguments): Promise<boolean> => {
    const done = last.current.then(() => run(...args))
    last.current = done
    return done
  }
}
