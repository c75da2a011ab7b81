import { effect } from '@preact/signals'
import { isSignedOut, retryDelayOf, unreachableSince } from './request.ts'

/**
 * Resolves when a failed request can be retried: after a delay, or as soon as the server is back and there is a session.
 */
export function untilRetry(error: unknown): Promise<void> {
  if (isReachable()) return new Promise((resolve) => setTimeout(resolve, retryDelayOf(error)))
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!isReachable()) return
      resolve()
      queueMicrotask(() => stop())
    })
  })
}

const isReachable = () => unreachableSince.value === undefined && !isSignedOut.value
