/** Adds the look of a part of the application, which comes with its code: the first page waits for none of it. */
export function addStyles(css: string): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets.push(sheet)
}
