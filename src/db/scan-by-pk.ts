/**
 * Every row that there is, in the order of pks, some at a time: all of them together may be more than fits into
 * memory. `rowsAfter` answers the next few beyond a pk, none at the end.
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
