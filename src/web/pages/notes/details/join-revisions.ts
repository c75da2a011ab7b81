/** Joins the newest revisions with older ones loaded before; undefined if the lists do not overlap. */
export function joinRevisions<Revision extends { readonly id: string }>(
  newest: readonly Revision[],
  older: readonly Revision[],
): readonly Revision[] | undefined {
  const last = newest.at(-1)
  const index = older.findIndex(({ id }) => id === last?.id)
  return index === -1 ? undefined : [...newest, ...older.slice(index + 1)]
}
