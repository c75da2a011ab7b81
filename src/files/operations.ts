export { fileSearchQuery } from './search.ts'
export { fileRename, filesQuery } from './service.ts'
