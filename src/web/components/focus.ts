/** What had the focus may be gone with what was done there; the keyboard then goes on at the content. */
export const keepFocus = (): void =>
  void requestAnimationFrame(() => {
    const main = document.getElementById('main')
    if (!main || document.activeElement !== document.body) return
    main.tabIndex = -1
    main.focus({ preventScroll: true })
  })
