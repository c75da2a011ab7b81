const NAME = document.querySelector<HTMLMetaElement>('meta[name=version]')?.content ?? ''

/** Tells the service worker, for as long as this tab is open, that it needs the files of its version. */
export function holdVersion(): void {
  void navigator.locks?.request(`daybook-version ${NAME}`, { mode: 'shared' }, () => new Promise(() => {}))
}
