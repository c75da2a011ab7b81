import { serviceWorkerUrl } from '../data/worker.ts'

/**
 * Has the service worker keep the application, so that it opens without a network. A browser that has none, or may keep
 * nothing, does without.
 */
export async function startServiceWorker(): Promise<void> {
  const url = serviceWorkerUrl()
  await navigator.serviceWorker?.register(url, { scope: '/app' }).catch(() => undefined)
}
