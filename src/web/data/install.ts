import { signal } from '@preact/signals'

/** Of the platform; not all browsers have it. */
export interface InstallPrompt extends Event {
  prompt(): Promise<unknown>
}

/** What the browser asks with whether the application is to be installed; undefined where it may not ask. */
export const installPrompt = signal<InstallPrompt | undefined>(undefined)

// The browser says so once, and maybe before anything that is loaded later listens.
addEventListener('beforeinstallprompt', (event) => {
  installPrompt.value = event as InstallPrompt
})
