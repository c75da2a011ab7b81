/** Moves the focus to the content if the focused element was removed, so that keys keep working. */
export const restoreFocus = (): void =>
  void requestAnimationFrame(() => {
    const main = document.getElementById('main')
    if (!main || document.activeElement !== document.body) return
    main.tabIndex = -1
    main.focus({ preventScroll: true })
  })
