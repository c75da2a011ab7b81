export const DEFAULT_LIMIT = 50

/** One page of a list, and the total number of items. */
export interface Page<Item> {
  items: Item[]
  total: number
}

export interface PageRequest {
  limit: number
  offset: number
}

/** The page that a query requests, with defaults. */
export const pageRequest = (query: { limit?: number; offset?: number }): PageRequest => ({
  limit: query.limit ?? DEFAULT_LIMIT,
  offset: query.offset ?? 0,
})

/** Whether there are items after this page. */
export const hasMore = (request: PageRequest, page: Page<unknown>): boolean =>
  request.offset + page.items.length < page.total && page.items.length > 0

/** The members of a paged response besides its items. */
export const presentPage = (query: { limit?: number; offset?: number }, page: Page<unknown>) => ({
  total: page.total,
  has_more: hasMore(pageRequest(query), page),
})
