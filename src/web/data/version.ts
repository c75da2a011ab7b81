const NAME = document.querySelector<HTMLMetaElement>('meta[name=version]')?.content ?? ''

/** Has the service worker keep the files of this tab's version while the tab is open. */
export function holdVersion(): void {
  void navigator.locks?.request(`daybook-version ${NAME}`, { mode: 'shared' }, () => new Promise(() => {}))
}
