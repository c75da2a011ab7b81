/**
 * Yields all rows in the order of their pks, in batches, because all of them may not fit into memory. `rowsAfter`
 * returns the batch after a pk, and an empty one at the end.
 */
export function* scanByPk<Row extends { readonly pk: number }>(
  rowsAfter: (pk: number) => readonly Row[],
): Generator<Row> {
  let after = 0
  for (;;) {
    const rows = rowsAfter(after)
    const last = rows.at(-1)
    if (!last) return
    yield* rows
    after = last.pk
  }
}
