export { viewsQuery } from './list.ts'
export { viewQuery } from './notes.ts'
