/** Concurrent requests. */
const MAX_PARALLEL = 8

/** Calls a function for each item, up to MAX_PARALLEL at a time. Results are in the order of the items. */
export async function eachOf<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const work = async () => {
    while (next < items.length) {
      const index = next++
      results[index] = await act(items[index] as Item)
    }
  }
  await Promise.all(Array.from({ length: MAX_PARALLEL }, work))
  return results
}
