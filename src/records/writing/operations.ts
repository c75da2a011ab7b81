export { recordDeletion, recordPatch, recordRestoration } from './patch-and-delete.ts'
export { recordRevert } from './revert.ts'
export { rowsWrite } from './write-once.ts'
