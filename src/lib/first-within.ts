/** The longest prefix of the rows, at least one row, with a total size of at most `most`. */
export function firstWithin<Row>(rows: Iterable<Row>, most: number, sizeOf: (row: Row) => number): Row[] {
  const first: Row[] = []
  let size = 0
  for (const row of rows) {
    size += sizeOf(row)
    if (first.length > 0 && size > most) break
    first.push(row)
  }
  return first
}
