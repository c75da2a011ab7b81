/**
 * The newest revisions, followed by older ones that were read before; undefined when so many are new that the two do not
 * meet.
 */
export function joined<Revision extends { readonly id: string }>(
  newest: readonly Revision[],
  older: readonly Revision[],
): readonly Revision[] | undefined {
  const last = newest.at(-1)
  const at = older.findIndex(({ id }) => id === last?.id)
  return at === -1 ? undefined : [...newest, ...older.slice(at + 1)]
}
