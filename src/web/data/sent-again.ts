import { effect } from '@preact/signals'
import { awaySince, isSignedOut, retryDelayOf } from './request.ts'

/**
 * Resolves when what was put off may be sent again: after a while, or as soon as the server is back and somebody
 * signed in.
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

const isReachable = () => awaySince.value === undefined && !isSignedOut.value
