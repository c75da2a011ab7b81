const markerOf = (page: number) => `=== page ${page} ===\n`
const boundaryBefore = (page: number) => `\n\n${markerOf(page)}`

/**
 * The texts of the pages in a response, of which `first` is the first; undefined where a page holds what looks like the
 * beginning of another one.
 */
export function pagesIn(
  { pages, text }: { readonly pages: string; readonly text: string },
  first: number,
): string[] | undefined {
  const last = Number(pages.split('-')[1] ?? pages)
  const found: string[] = []
  let rest = text.slice(markerOf(first).length)
  for (let next = first + 1; next <= last; next++) {
    const boundary = boundaryBefore(next)
    const at = rest.indexOf(boundary)
    if (at === -1 || rest.indexOf(boundary, at + 1) !== -1) return undefined
    found.push(rest.slice(0, at))
    rest = rest.slice(at + boundary.length)
  }
  return [...found, rest]
}
