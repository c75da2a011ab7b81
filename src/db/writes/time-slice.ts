/** The length of one transaction of chunked work, so that the write lock is held only briefly. */
const SLICE_MS = 5

/** Repeats a small step until it returns false or a few milliseconds have passed. Returns whether there may be more work. */
export function forSomeMilliseconds(doSome: () => boolean, milliseconds = SLICE_MS): boolean {
  const until = performance.now() + milliseconds
  do {
    if (!doSome()) return false
  } while (performance.now() < until)
  return true
}
