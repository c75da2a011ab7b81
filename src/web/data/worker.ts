/** The browsers that hold scripts to trusted types; others do without. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string }
}

const ENTRY = document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? ''

const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('daybook', {
  createScriptURL: () => ENTRY,
})

/** Starts the script of this page as a worker; `main.tsx` says what it does there. */
export const startWorker = (name: 'layout' | 'csv' | 'preview'): Worker =>
  new Worker(policy ? policy.createScriptURL(ENTRY) : ENTRY, { type: 'module', name })
