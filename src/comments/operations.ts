export { readInbox, readInboxItems } from './inbox.ts'
export { listComments } from './list.ts'
export { createComment, deleteComment, patchComment, readComment } from './service.ts'
