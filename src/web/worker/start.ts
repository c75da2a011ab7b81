import { serviceWorkerUrl } from '../data/worker.ts'

/** Registers the service worker. Browsers without one, or without storage, run without an offline copy. */
export async function startServiceWorker(): Promise<void> {
  const url = serviceWorkerUrl()
  await navigator.serviceWorker?.register(url, { scope: '/app' }).catch(() => undefined)
}
