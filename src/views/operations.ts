export { viewQuery } from './notes.ts'
export { viewsQuery } from './service.ts'
