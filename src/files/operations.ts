export { fileSearchQuery } from './search.ts'
export * from './service.ts'
