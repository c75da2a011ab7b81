/** How long one transaction of work that is done in chunks goes on: the write lock is held for a few milliseconds. */
const SLICE_MS = 5

/** Repeats a small piece of work until there is no more, which it says by returning false, or a few milliseconds have passed. Returns whether there may be more. */
export function forSomeMilliseconds(doSome: () => boolean): boolean {
  const until = performance.now() + SLICE_MS
  do {
    if (!doSome()) return false
  } while (performance.now() < until)
  return true
}
