/** Pages that follow one another, so that one write takes them. */
export interface PageRun {
  /** The number of the first page, from 1. */
  readonly page: number
  readonly contents: readonly Buffer[]
}

/** The pages, by their numbers, in as few runs as possible. */
export function runsOf(pages: ReadonlyMap<number, Buffer>): PageRun[] {
  const runs: { page: number; contents: Buffer[] }[] = []
  for (const [page, content] of [...pages].sort(([left], [right]) => left - right)) {
    const last = runs.at(-1)
    if (last && page === last.page + last.contents.length) last.contents.push(content)
    else runs.push({ page, contents: [content] })
  }
  return runs
}
