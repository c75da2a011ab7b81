/** Only some browsers require trusted types for scripts. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string }
}

const ENTRY = document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? ''

const SERVICE_WORKER = '/app/worker.js'

const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('daybook', {
  createScriptURL: (url) => (url === SERVICE_WORKER ? url : ENTRY),
})

const trusted = (url: string): string => policy?.createScriptURL(url) ?? url

/** The address of the service worker, which stores the application in this browser. */
export const serviceWorkerUrl = (): string => trusted(SERVICE_WORKER)

/** Starts the script of this page as a worker; `main.tsx` says what it does there. */
export const startWorker = (name: 'layout' | 'csv' | 'preview'): Worker =>
  new Worker(trusted(ENTRY), { type: 'module', name })
