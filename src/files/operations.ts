export { filesQuery } from './list.ts'
export { fileSearchQuery } from './search.ts'
export { fileRename } from './service.ts'
