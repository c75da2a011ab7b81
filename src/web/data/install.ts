import { signal } from '@preact/signals'

/** A browser event that not all browsers have. */
export interface InstallPrompt extends Event {
  prompt(): Promise<unknown>
}

/** The browser's prompt to install the application; undefined if it cannot be shown. */
export const installPrompt = signal<InstallPrompt | undefined>(undefined)

// The event fires once, possibly before lazily loaded code could listen.
addEventListener('beforeinstallprompt', (event) => {
  installPrompt.value = event as InstallPrompt
})
