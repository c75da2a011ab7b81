export { feedPageQuery, newestFirstQuery } from './feed.ts'
export { snapshotQuery } from './snapshot.ts'
export { transactionsQuery } from './transactions.ts'
