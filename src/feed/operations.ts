export { beginStream, readChanges, readNewestFirst, readNextChanges } from './feed.ts'
export { readLastCursor, readSnapshotPart } from './snapshot.ts'
export { listTransactions } from './transactions.ts'
