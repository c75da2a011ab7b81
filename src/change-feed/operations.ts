export { feedPageQuery } from './feed.ts'
export { newestFirstQuery } from './newest-first.ts'
export { snapshotQuery } from './snapshot.ts'
export { transactionsQuery } from './transactions.ts'
