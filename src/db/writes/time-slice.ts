/** The length of one transaction of chunked work, so that the write lock is held only briefly. */
const SLICE_MS = 5

/** Repeats a small step until it returns false or a few milliseconds have passed. Returns whether there may be more work. */
export function forSomeMilliseconds(doSome: () => boolean): boolean {
  const until = performance.now() + SLICE_MS
  do {
    if (!doSome()) return false
  } while (performance.now() < until)
  return true
}
